import { until } from '#libs/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Visit } from './browser.js';

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/**
 * Without transitions, also while axe runs: colours between two themes, or of a toast that leaves, have the contrast of
 * neither. Those that run end at once.
 */
const still = `(async () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { transition: none !important }');
  document.adoptedStyleSheets.push(sheet);
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  try {
    return (await axe.run()).violations;
  } finally {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  }
})()`;

/** What axe finds on the page once it is still, one line each; empty if the page is accessible. */
export async function violations(page: Page): Promise<string[]> {
  // Injected through the debugger: the page's CSP allows no other script.
  await page.evaluate(axe.source);
  const found = await page.evaluate<Violation[]>(still);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** In both themes and on a phone: the page is accessible, and fits. Pictures of all three are kept by the name. */
export async function isForEverybody({ page, picture }: Visit, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await picture(`${name}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 740 });
  await until('it fits', () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
  await picture(`${name}-360`);
  await page.setViewportSize({ width: 1280, height: 800 });
}
