// Every page in a folder: valid HTML, accessible in both themes, complete without a script.
//
// Usage: node pages.mjs FOLDER

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { HtmlValidate, assert, browse, inaccessible, open } from "./browser.mjs";

const [folder] = process.argv.slice(2);
const files = readdirSync(folder).filter((file) => file.endsWith(".html")).sort();
assert(files.length > 0, `there is no page in ${folder}`);

const validator = new HtmlValidate({ root: true, extends: ["html-validate:recommended"] });
// The validator sees what is wrong.
const wrong = await validator.validateString("<p><div id=a id=a></p>");
assert(!wrong.valid, "the validator accepts everything");

/** Steps of which the accessibility checker sees all; those after them are made alike. */
const ALIKE = 8;
/** The most steps that are shown of a behaviour. */
const MOST = 500;

/** The steps that a page of these data shows: those of a report, or of the lassos of graphs. */
function stepsOf(data) {
  if (!data.graphs) return data.counterexample?.steps.length ?? 0;
  const lassos = data.graphs.flatMap((graph) => graph.properties).filter((one) => one.states);
  const shown = (one) => Math.min(MOST, one.states.length + (one.loop > 0 ? 1 : 0));
  return lassos.reduce((sum, one) => sum + shown(one), 0);
}

/** Looks at one page. */
async function look(browser, file) {
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  const valid = await validator.validateString(source);
  const messages = valid.results.flatMap((result) => result.messages);
  const told = messages.map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`);
  assert(valid.valid, `${file}: ${told.slice(0, 5).join("\n")}`);

  const url = pathToFileURL(path).href;
  // Its policy forbids the scripts of the accessibility checker, too.
  const { page, close } = await open(browser, url, { bypassCSP: true });
  const steps = stepsOf(JSON.parse(await page.locator("#report").textContent()));
  const shown = await page.locator("section.step:not([id^=other])").count();
  assert(shown === steps, `${file} shows ${shown} steps of ${steps}`);
  await page.evaluate((alike) => {
    document.querySelectorAll("section.step").forEach((step, place, all) => {
      if (place >= alike && place < all.length - 2) step.remove();
    });
  }, ALIKE);
  // The other theme differs in its colours alone.
  for (const [colorScheme, rules] of [["light"], ["dark", ["color-contrast"]]]) {
    await page.emulateMedia({ colorScheme });
    const found = await inaccessible(page, rules);
    assert(found.length === 0, `${file}, ${colorScheme}: ${found.join("\n")}`);
  }
  await close();
}

await browse(async (browser) => {
  const left = files.values();
  // Each takes the next page that is left.
  const lookAtNext = async () => {
    for (const file of left) await look(browser, file);
  };
  await Promise.all([lookAtNext(), lookAtNext()]);
});
console.log(`${files.length} pages`);
