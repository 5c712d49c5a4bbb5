// The explorer: by clicks, by keys, its addresses, and a model that has changed.
//
// Usage: node explorer.mjs URL OTHER-URL STEPS
//
// The explorer at URL has a counterexample of so many steps; the one at OTHER-URL is of a model that differs.

import { assert, browse, inaccessible, open } from "./browser.mjs";

const [url, other, steps] = process.argv.slice(2);
const last = Number(steps);

await browse(async (browser) => {
  const { page, close } = await open(browser, url, { bypassCSP: true });
  const text = (selector) => page.locator(selector).textContent();
  const at = async () => Number((await text(".ways")).match(/step (\d+) of/)[1]);

  // By clicks: to the end at once, and then from the beginning, step by step.
  await page.click("#run");
  assert((await at()) === last, `the counterexample ends at ${await at()}`);
  assert((await page.locator("p.bad").first().textContent()).includes("fails here"), "nothing fails");
  const end = page.url();
  const endState = await text("#step-" + last);
  assert((await inaccessible(page)).length === 0, (await inaccessible(page)).join("\n"));

  await page.goto(`${end}?step=0`);
  for (let step = 1; step <= last; step++) {
    await page.click("tr.next a.take");
    assert((await at()) === step, `step ${step} is at ${await at()}`);
  }
  assert((await text("#step-" + last)) === endState, "clicks lead elsewhere");

  // By keys: back to the beginning, then on by → and by Enter at the step that is next.
  const press = async (key) => {
    const before = page.url();
    await page.keyboard.press(key);
    await page.waitForURL((now) => now.href !== before);
  };
  for (let step = last; step > 0; step--) await press("ArrowLeft");
  assert((await at()) === 0, `← ends at ${await at()}`);
  for (let step = 1; step <= last; step++) await press(step % 2 ? "ArrowRight" : "Enter");
  assert((await at()) === last, `keys end at ${await at()}`);
  assert((await text("#step-" + last)) === endState, "keys lead elsewhere");

  // Another step than the one of the counterexample cuts it off there.
  await page.goto(`${end}?step=3`);
  await page.click("tr:not(.next) a.take");
  assert((await at()) === 4, `another step leads to ${await at()}`);
  assert((await text(".ways")).includes("step 4 of 4"), await text(".ways"));

  // The address, in a new window.
  const window = await open(browser, end);
  assert((await window.page.locator("#step-" + last).textContent()) === endState, "the address leads elsewhere");
  await window.close();

  // The same address, when the model has changed.
  const moved = new URL(other);
  moved.pathname += end.slice(end.indexOf("/at/") + 1);
  const changed = await open(browser, moved.href);
  const differs = await changed.page.locator("#differs").textContent();
  assert(/differs at step \d+/.test(differs), differs);
  const shown = Number((await changed.page.locator(".ways").textContent()).match(/step (\d+) of/)[1]);
  assert(differs.includes(`at step ${shown + 1} `), `${differs} and step ${shown} is shown`);
  console.log(differs);
  await changed.close();

  // Without scripts links do what keys did.
  const plain = await open(browser, url, { javaScriptEnabled: false });
  await plain.page.click("a.take");
  await plain.page.click("a.take");
  assert((await plain.page.locator(".ways").textContent()).includes("step 1 of 1"), "links do not work");
  await plain.page.click("#back");
  await plain.close();
  await close();
});
