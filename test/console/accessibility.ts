import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Colours on their way from one theme to the other have a contrast of neither. Spinners turn for ever and are not waited for. */
const settled = `(async () => {
  for (;;) {
    const moving = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    if (moving.length === 0) return;
    await Promise.allSettled(moving.map(({ finished }) => finished));
  }
})()`;

/** What axe finds on the page once it stands still, a line for each; empty where everybody can use it. */
export async function violations(page: Page): Promise<string[]> {
  // As a script of the debugger: the CSP of the page lets no other in.
  await page.evaluate(axe.source);
  await page.evaluate(settled);
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
