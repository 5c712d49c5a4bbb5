"use strict";
// Keys for a page that is complete without them: from step to step, filters, and the address of a step.
(() => {
  const steps = [...document.querySelectorAll("section.step")];
  if (!steps.length) return;
  const keys = document.getElementById("keys");
  const say = document.getElementById("say");
  const filter = document.getElementById("filter");
  const processes = [...new Set(steps.map((step) => step.dataset.p).filter(Boolean))];
  let at = -1;
  let process = -1;
  let changedOnly = false;
  let filtered = false;
  const open = new Set(document.querySelectorAll("details[open]"));
  keys.hidden = false;

  const shown = () => steps.filter((step) => !step.classList.contains("off"));
  const number = (step) => step.id.replace(/^.*step-/, "");

  function go(step) {
    if (!step) return;
    steps.forEach((other) => other.classList.toggle("at", other === step));
    at = steps.indexOf(step);
    location.replace("#" + step.id);
    step.querySelector("h3 a").focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  }

  function move(by) {
    const all = shown();
    if (at < 0) return go(by > 0 ? all[0] : all[all.length - 1]);
    const place = all.findIndex((step) => steps.indexOf(step) >= at);
    const here = place >= 0 && all[place] === steps[at];
    const next = by > 0 ? (here ? place + 1 : place) : (place < 0 ? all.length : place) - 1;
    go(all[Math.max(0, Math.min(all.length - 1, next))]);
  }

  function update() {
    const name = processes[process];
    const words = filter.value.trim().toLowerCase();
    for (const step of steps) {
      step.classList.toggle("off", name !== undefined && step.dataset.p !== name);
      for (const details of step.querySelectorAll("details, .none")) {
        details.classList.toggle("off", changedOnly);
      }
      for (const field of step.querySelectorAll("li")) {
        const hidden = words !== "" && !field.textContent.toLowerCase().includes(words);
        field.classList.toggle("off", hidden);
      }
      if (words !== "" || filtered) {
        step.querySelectorAll("details").forEach((one) => (one.open = words !== "" || open.has(one)));
      }
    }
    filtered = words !== "";
    const parts = [];
    if (name !== undefined) parts.push("only " + name);
    if (changedOnly) parts.push("only what changes");
    if (words !== "") parts.push("fields with “" + words + "”");
    say.textContent = parts.length ? "Shown: " + parts.join(", ") + "." : "";
  }

  filter.addEventListener("input", update);
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      filter.value = "";
      update();
    }
    if (event.key === "Escape" || event.key === "Enter") filter.blur();
    event.stopPropagation();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    switch (event.key) {
      case "ArrowRight":
        move(1);
        break;
      case "ArrowLeft":
        move(-1);
        break;
      case "Home":
        go(shown()[0]);
        break;
      case "End":
        go(shown().pop());
        break;
      case "/":
        filter.focus();
        break;
      case "c":
        changedOnly = !changedOnly;
        update();
        break;
      case "p":
        process = process + 1 < processes.length ? process + 1 : -1;
        update();
        break;
      case "l": {
        if (at < 0) {
          say.textContent = "No step is chosen yet: → goes to the first.";
          break;
        }
        const link = location.href;
        const told = () => (say.textContent = "Link to step " + number(steps[at]) + ": " + link);
        if (navigator.clipboard) navigator.clipboard.writeText(link).then(told, told);
        else told();
        break;
      }
      default:
        return;
    }
    event.preventDefault();
  });

  // A step may be chosen by a link too.
  function follow() {
    const target = steps.findIndex((step) => "#" + step.id === location.hash);
    if (target < 0) return;
    at = target;
    steps.forEach((other, place) => other.classList.toggle("at", place === at));
  }
  window.addEventListener("hashchange", follow);
  follow();
})();
