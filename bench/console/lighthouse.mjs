import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from '../../scripts/launcher/npm.mjs';
import { cacheDir } from '../../scripts/launcher/project.mjs';
import { median, shown, table } from '../table.mjs';

/** Not a dependency: with its own packages it is a quarter of all, and nothing else needs it. */
const version = '13.5.0';
const aim = 0.95;
const categories = ['performance', 'accessibility', 'best-practices'];

/**
 * Measures pages with Lighthouse as the user signed in to that browser, as a phone on a slow line and as a desktop.
 * @param {{pages: Record<string, string>, port: number, rounds: number, forget: () => Promise<unknown>}} options port:
 *   of a browser's debugger; forget: empties the browser's cache of the pages
 */
export async function measurePages({ pages, port, rounds, forget }) {
  const { default: lighthouse, desktopConfig } = await load();
  /** @type {string[][]} */
  const rows = [];
  /** @type {Set<string>} */
  const complaints = new Set();
  /**
   * Lighthouse's index of this machine's speed. It slows the machine down four times for the phone, however fast it is.
   * @type {number[]}
   */
  const indexes = [];
  for (const [preset, config] of Object.entries({ phone: undefined, desktop: desktopConfig })) {
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
        };
        const { lhr } = await lighthouse(url, flags, config);
        if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
        if (lhr.finalDisplayedUrl !== url) throw new Error(`${name}: it came to ${lhr.finalDisplayedUrl}`);
        results.push(lhr);
        indexes.push(lhr.environment.benchmarkIndex);
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
  const machine = `Lighthouse's index of the machine: ${shown(median(indexes), 0)}`;
  return [table(head, rows), '', machine, ...complaints].join('\n');
}

/** @returns {Promise<any>} installed on first use */
async function load() {
  const folder = join(cacheDir, `lighthouse-${version}`);
  const entry = join(folder, 'node_modules/lighthouse/core/index.js');
  if (!existsSync(entry)) {
    await mkdir(folder, { recursive: true });
    await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', `lighthouse@${version}`]);
  }
  return import(pathToFileURL(entry).href);
}

/** The audits that keep a category below the target. @param {any} lhr @returns {string[]} */
function complaintsOf({ categories: measured, audits }) {
  return categories
    .filter((id) => measured[id].score < aim)
    .flatMap((id) =>
      measured[id].auditRefs
        .filter(({ id: audit, weight }) => weight > 0 && audits[audit].score !== null && audits[audit].score < 0.9)
        .map(({ id: audit }) => `${id}: ${audits[audit].title} ${audits[audit].displayValue ?? ''}`),
    );
}
