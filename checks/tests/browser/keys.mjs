// A page of a counterexample by keyboard alone, without scripts, in both themes; and one of 2 000 steps.
//
// Usage: node keys.mjs PAGE LONG-PAGE

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { assert, browse, open } from "./browser.mjs";

const [page, long] = process.argv.slice(2).map((path) => pathToFileURL(resolve(path)).href);

await browse(async (browser) => {
  await keys(browser);
  await withoutScripts(browser);
  await themes(browser);
  await longPage(browser);
});

/** The keys do what the page says of them. */
async function keys(browser) {
  const { page: tab, close } = await open(browser, page);
  const at = () => tab.evaluate(() => document.querySelector("section.step.at")?.id);
  const hidden = () => tab.locator("section.step.off").count();
  const press = (key) => tab.keyboard.press(key);
  const last = (await tab.locator("section.step").count()) - 1;

  await press("ArrowRight");
  assert((await at()) === "step-0", `→ goes to ${await at()}`);
  await press("ArrowRight");
  assert((await at()) === "step-1", `→ goes on to ${await at()}`);
  assert(tab.url().endsWith("#step-1"), tab.url());
  await press("ArrowLeft");
  assert((await at()) === "step-0", `← goes to ${await at()}`);
  await press("End");
  assert((await at()) === `step-${last}`, `End goes to ${await at()}`);
  const focused = await tab.evaluate(() => document.activeElement.closest("section")?.id);
  assert(focused === `step-${last}`, `the focus is at ${focused}`);

  assert((await hidden()) === 0, "something is hidden");
  await press("p");
  const some = await hidden();
  assert(some > 0 && some <= last, `p hides ${some} of ${last}`);
  for (let more = 0; (await hidden()) > 0; more++) {
    assert(more < 10, "p never shows all again");
    await press("p");
  }

  // From a link on, as from a step.
  await tab.locator("nav.lanes a").first().click();
  await press("ArrowRight");
  assert((await at()) === "step-2", `→ after a link to step 1 goes to ${await at()}`);
  assert(tab.url().endsWith("#step-2"), tab.url());

  const unfolded = tab.locator("section.step details[open]");
  const opened = await unfolded.count();
  const details = tab.locator("section.step details:visible");
  assert((await details.count()) > 0, "nothing is folded");
  await press("c");
  assert((await details.count()) === 0, "c hides nothing");
  const stutters = tab.locator(".stutters:visible");
  assert((await stutters.count()) > 0, "c hides that a step is a stutter");
  await press("c");
  assert((await details.count()) > 0, "c hides for good");

  await press("/");
  await tab.keyboard.type("chi");
  const fields = await tab.locator("section.step li:visible").allTextContents();
  assert(fields.length > 0 && fields.every((one) => one.includes("chi")), `/ leaves ${fields[0]}`);
  await press("Escape");
  assert((await unfolded.count()) === opened, `${await unfolded.count()} are open, and ${opened} were`);
  const all = await tab.locator("section.step li:visible").allTextContents();
  assert(all.some((one) => !one.includes("chi")), "Escape does not take the filter back");

  await press("l");
  await tab.waitForFunction(() => document.getElementById("say").textContent.includes("#step-"));
  await close();

  // The address of a step, opened anew, is at that step.
  const again = await open(browser, `${page}#step-3`);
  const top = await again.page.locator("#step-3").boundingBox();
  assert(top.y >= -5 && top.y < 900, `step 3 is at ${top.y}`);
  await again.page.keyboard.press("ArrowRight");
  const next = await again.page.evaluate(() => document.querySelector("section.step.at")?.id);
  assert(next === "step-4", `from step 3 → goes to ${next}`);
  await again.close();
}

/** Without scripts everything is there, and nothing is offered that would not work. */
async function withoutScripts(browser) {
  const { page: tab, close } = await open(browser, `${page}#step-2`, { javaScriptEnabled: false });
  assert(await tab.locator("#step-2 figure svg").first().isVisible(), "no drawing");
  assert(await tab.locator("h2", { hasText: "Counterexample" }).isVisible(), "no counterexample");
  assert(!(await tab.locator("#keys").isVisible()), "keys are offered");
  await tab.locator("nav.lanes a").first().click();
  assert(tab.url().endsWith("#step-1"), tab.url());
  await close();
}

/** Both themes are drawn, and differ. */
async function themes(browser) {
  const colours = [];
  const shots = [];
  for (const colorScheme of ["light", "dark"]) {
    const { page: tab, close } = await open(browser, page, { colorScheme });
    colours.push(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor));
    shots.push(await tab.screenshot());
    await close();
  }
  assert(colours[0] === "rgb(255, 255, 255)", colours[0]);
  assert(colours[1] !== colours[0], colours[1]);
  assert(shots.every((shot) => shot.length > 10_000), "a screenshot is empty");
  assert(!shots[0].equals(shots[1]), "the themes look alike");
}

/** A behaviour of 2 000 steps opens in under a second. */
async function longPage(browser) {
  const times = [];
  for (let time = 0; time < 3; time++) {
    const { page: tab, close } = await open(browser, long);
    const took = await tab.evaluate(() => {
      const [entry] = performance.getEntriesByType("navigation");
      return entry.loadEventEnd;
    });
    times.push(took);
    assert((await tab.locator("section.step").count()) === 500, "it does not show 500 steps");
    assert(await tab.getByText("are shown").first().isVisible(), "it does not say what is left out");
    await close();
  }
  console.log(`a behaviour of 2 000 steps opens in ${Math.round(Math.min(...times))} ms`);
}
