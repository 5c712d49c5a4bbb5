// Every page in a folder: valid HTML, complete without a script. And accessible in both themes: each page that has something of a
// kind that no page before it has, since the checker takes seconds for a page.
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

/** Kinds of the elements of a page: what a rule of accessibility or a style can tell apart. */
function kindsOf(source) {
  const elements = source.replaceAll(/<(script|style)\b.*?<\/\1>/gs, "").matchAll(/<([a-z][\w-]*)([^>]*)>/g);
  const kinds = new Set();
  for (const [, tag, attributes] of elements) {
    const named = attributes.matchAll(/([\w:-]+)(?:="([^"]*)")?/g);
    const told = [...named].map(([, name, value]) => (["class", "role", "type"].includes(name) ? `${name}=${value}` : name));
    kinds.add([tag, ...told.sort()].join(" "));
  }
  return kinds;
}

const sources = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
const known = new Set();
const checked = new Set();
for (const [file, source] of sources) {
  const kinds = kindsOf(source);
  if ([...kinds].some((kind) => !known.has(kind))) checked.add(file);
  kinds.forEach((kind) => known.add(kind));
}

/** Looks at one page. */
async function look(browser, file) {
  const path = join(folder, file);
  const source = sources.get(file);
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
  if (checked.has(file)) await lookAtAccess(page, file);
  await close();
}

/** Has the accessibility checker look at a page, in both themes. */
async function lookAtAccess(page, file) {
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
}

await browse(async (browser) => {
  const left = files.values();
  // Each takes the next page that is left.
  const lookAtNext = async () => {
    for (const file of left) await look(browser, file);
  };
  await Promise.all([lookAtNext(), lookAtNext()]);
});
console.log(`${files.length} pages, ${checked.size} of them by the accessibility checker`);
