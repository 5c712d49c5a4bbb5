"use strict";
// Keys for the explorer, whose pages are complete without them: each key follows a link of the page.
(() => {
  const rows = [...document.querySelectorAll("a.take")];
  const follow = (id) => document.getElementById(id)?.click();
  const move = (by) => {
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
    rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    switch (event.key) {
      case "ArrowLeft":
        follow("back");
        break;
      case "ArrowRight":
        follow("forward");
        break;
      case "ArrowDown":
        move(1);
        break;
      case "ArrowUp":
        move(-1);
        break;
      case "e":
        follow("run");
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  const next = document.querySelector("tr.next a.take") || rows[0];
  next?.focus();
  const keys = document.getElementById("keys");
  if (keys) keys.hidden = false;
})();
