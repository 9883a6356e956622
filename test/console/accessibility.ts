import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe finds on the page as it stands, a line for each; empty where everybody can use it. */
export async function violations(page: Page): Promise<string[]> {
  // As a script of the debugger: the CSP of the page lets no other in.
  await page.evaluate(axe.source);
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
