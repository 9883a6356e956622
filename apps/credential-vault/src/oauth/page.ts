import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1c1c1e}' +
  'button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.5rem;background:#1c1c1e;color:#fff;cursor:pointer}' +
  '@media(prefers-color-scheme:dark){body{background:#1c1c1e;color:#f2f2f7}button{background:#f2f2f7;color:#1c1c1e}}';

/** Headers of every answer to a browser, so that no code, state or token leaks through a referrer or a cache. */
export const privateHeaders = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // No form-action: browsers apply it to a form's redirects as well, and the consent is at the provider.
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
};

/** A page for people without a console. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  page: { title: string; text: string; button?: string },
): FastifyReply {
  const button = page.button ? `<form method="post"><button>${escaped(page.button)}</button></form>` : '';
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(page.title)}</title>`;
  const body = `<h1>${escaped(page.title)}</h1><p>${escaped(page.text)}</p>${button}`;
  return reply
    .status(status)
    .headers({ ...privateHeaders, 'content-type': 'text/html; charset=utf-8' })
    .send(`<!doctype html><html lang="en"><head>${head}<style>${style}</style></head><body>${body}</body></html>`);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
