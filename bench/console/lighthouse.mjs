import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from '../../scripts/launcher/npm.mjs';
import { cacheDir } from '../../scripts/launcher/project.mjs';
import { median, shown, table } from '../table.mjs';

/** Not among the project's packages: with its own it is a quarter of them, and nothing else needs it. */
const version = '13.5.0';
const aim = 0.95;
const categories = ['performance', 'accessibility', 'best-practices'];

/**
 * Measures pages by Lighthouse as who is signed in in that browser: as the phone that Lighthouse means, on a slow line; as one that
 * is four times slower than this machine, whatever this machine is; and as a desktop.
 * @param {object} options
 * @param {Record<string, string>} options.pages
 * @param {number} options.port of a browser's debugger
 * @param {number} options.rounds
 * @param {() => Promise<unknown>} options.forget empties what the browser has kept of the pages
 * @param {(work: () => number) => Promise<number>} options.evaluate does something in the browser
 */
export async function measurePages({ pages, port, rounds, forget, evaluate }) {
  const { lighthouse, desktopConfig, computeBenchmarkIndex } = await load();
  const power = median([
    await evaluate(computeBenchmarkIndex),
    await evaluate(computeBenchmarkIndex),
    await evaluate(computeBenchmarkIndex),
  ]);
  const slowdown = slowdownOf(power);
  process.stdout.write(`  Lighthouse's index of this machine: ${shown(power, 0)}\n`);
  /** @type {string[][]} */
  const rows = [];
  /** @type {Set<string>} */
  const complaints = new Set();
  const presets = [
    { preset: `phone (${shown(slowdown, 1)} ×)`, throttling: { cpuSlowdownMultiplier: slowdown } },
    { preset: 'phone (4 ×)', throttling: { cpuSlowdownMultiplier: 4 } },
    { preset: 'desktop', config: desktopConfig },
  ];
  for (const { preset, config, ...more } of presets) {
    for (const [name, url] of Object.entries(pages)) {
      const results = [];
      for (let round = 0; round < rounds; round += 1) {
        await forget();
        // Without `disableStorageReset` it would sign out first.
        const flags = {
          port,
          output: 'json',
          logLevel: 'error',
          disableStorageReset: true,
          onlyCategories: categories,
          ...more,
        };
        const { lhr } = await lighthouse(url, flags, config);
        if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
        if (lhr.finalDisplayedUrl !== url) throw new Error(`${name}: it came to ${lhr.finalDisplayedUrl}`);
        results.push(lhr);
      }
      const of = (/** @type {(lhr: any) => number} */ pick) => median(results.map(pick));
      const score = (/** @type {string} */ id) => shown(100 * of((lhr) => lhr.categories[id].score), 0);
      const ms = (/** @type {string} */ id) =>
        shown(
          of((lhr) => lhr.audits[id].numericValue),
          0,
        );
      rows.push([
        name,
        preset,
        ...categories.map(score),
        ms('first-contentful-paint'),
        ms('largest-contentful-paint'),
        ms('total-blocking-time'),
        shown(
          of((lhr) => lhr.audits['cumulative-layout-shift'].numericValue),
          3,
        ),
      ]);
      process.stdout.write(`  ${rows.at(-1)?.join(' ')}\n`);
      for (const each of complaintsOf(results.at(-1))) complaints.add(`${name}, ${preset}: ${each}`);
    }
  }
  const head = ['page', 'as', ...categories, 'FCP ms', 'LCP ms', 'TBT ms', 'CLS'];
  return [table(head, rows), ...complaints].join('\n');
}

/**
 * How many times slower than this machine the phone is that Lighthouse means by its 4: that is of a machine with an index of 1,533.
 * By the calculator that its documentation on throttling names.
 * @param {number} index its benchmark index
 */
function slowdownOf(index) {
  if (index >= 1_300) return 3 + (index - 1_300) / 233;
  if (index >= 800) return 2 + (index - 800) / 500;
  if (index >= 150) return 1 + (index - 150) / 650;
  throw new Error(
    `This machine (Lighthouse's index ${shown(index, 0)}) is slower than the phone that is to be simulated.`,
  );
}

/** @returns {Promise<any>} installed on the first use */
async function load() {
  const folder = join(cacheDir, `lighthouse-${version}`);
  const core = join(folder, 'node_modules/lighthouse/core');
  if (!existsSync(core)) {
    await mkdir(folder, { recursive: true });
    await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', `lighthouse@${version}`]);
  }
  const { default: lighthouse, desktopConfig } = await import(pathToFileURL(join(core, 'index.js')).href);
  const { pageFunctions } = await import(pathToFileURL(join(core, 'lib/page-functions.js')).href);
  return { lighthouse, desktopConfig, computeBenchmarkIndex: pageFunctions.computeBenchmarkIndex };
}

/** What holds a category below the aim. @param {any} lhr @returns {string[]} */
function complaintsOf({ categories: measured, audits }) {
  return categories
    .filter((id) => measured[id].score < aim)
    .flatMap((id) =>
      measured[id].auditRefs
        .filter(({ id: audit, weight }) => weight > 0 && audits[audit].score !== null && audits[audit].score < 0.9)
        .map(({ id: audit }) => `${id}: ${audits[audit].title} ${audits[audit].displayValue ?? ''}`),
    );
}
