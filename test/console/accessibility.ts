import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Colours in transition between themes have the contrast of neither. Spinners run forever and are not waited for. */
const settled = `(async () => {
  for (;;) {
    const moving = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    if (moving.length === 0) return;
    await Promise.allSettled(moving.map(({ finished }) => finished));
  }
})()`;

/** What axe finds on the page once it is still, one line each; empty if the page is accessible. */
export async function violations(page: Page): Promise<string[]> {
  // Injected through the debugger: the page's CSP allows no other script.
  await page.evaluate(axe.source);
  await page.evaluate(settled);
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
