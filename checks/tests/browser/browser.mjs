// A headless browser, and what is asserted of every page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The folder in which the packages are installed. */
export const installed = process.env.REFMAP_BROWSER_MODULES;
const require = createRequire(join(installed, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const { HtmlValidate } = require("html-validate");

/** Fails with a message. */
export function assert(condition, message) {
  if (!condition) throw new Error(message);
}

/** Runs `tests` in a browser. */
export async function browse(tests) {
  const browser = await chromium.launch({
    executablePath: process.env.REFMAP_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
  try {
    await tests(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a page whose errors, and whose requests to elsewhere, are failures. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  const own = url.startsWith("file:") ? "file:" : new URL(url).origin;
  page.on("request", (request) => {
    if (!request.url().startsWith(own)) wrong.push(`a request to ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    async close() {
      await context.close();
      // A browser asks for an icon by itself; the explorer has none.
      const told = wrong.filter((one) => !one.includes("404"));
      assert(told.length === 0, `${url}: ${told.join("; ")}`);
    },
  };
}

/** What the accessibility checker finds, by all its rules or by these. */
export async function inaccessible(page, rules) {
  await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const found = await page.evaluate((options) => window.axe.run(document, options), options);
  return found.violations.map(
    (one) => `${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 200)} ${one.nodes[0].failureSummary}`,
  );
}
