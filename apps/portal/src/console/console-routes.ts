import { randomBytes, createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BuiltFile, builtFiles, encodingFor } from './built-files.js';
import { sessionTokenOf } from '../sessions/session-cookie.js';

interface PageFiles {
  /** As the console's router has it: `/p/$projectId/events`. */
  path: string;
  scripts: string[];
  styles: string[];
}

/** Where a build says what the first look at each page needs; not asked for by browsers. */
const pageFilesPath = '/page-files.json';

const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing but the page's own style, by its hash. */
const missingConsolePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Of a build without the console. It says that the portal is up, and of the services behind it nothing. */
const missingConsole = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Gatehouse</title><meta name="viewport" content="width=device-width">
<style>${style}</style>
</head>
<body>
<h1>Gatehouse</h1>
<p>It is up. The console was not built: <code>npm start</code> builds it.</p>
<ul>
<li><a href="/api/v1/openapi.json">The API, as an OpenAPI 3.1 document</a> (send <code>Authorization: Bearer gh_…</code>)</li>
</ul>
</body>
</html>
`;

/** Whatever no other route is for. */
const everything = '/*';

/** Each page of who is signed in begins with this question: asked with the page, it is answered before its script runs. */
const sessionPreload = '</api/v1/session>; rel=preload; as=fetch; crossorigin';

/** What stands in the built page where its nonce belongs. */
const noncePlaceholder = '%CSP_NONCE%';

/**
 * Scripts, pictures and requests of the portal's own origin alone, and styles that the page's own code writes: the components
 * measure and write theirs as they are shown, by the nonce of the page. An attribute may say a style without it: browsers write
 * some themselves into text that is edited, as that of the code editor.
 */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Whether a route is the console's, whose answers say themselves how they are cached. */
export function isConsole(route: string): boolean {
  return route === everything;
}

/**
 * The console: a page that finds its way itself, so that every address that a browser opens is answered with it, and its
 * files. What is asked for by name is a file or is not there. @param folder of the build
 * @param publicUrl by which the cookie of a session is named
 */
export function consoleRoutes(fastify: FastifyInstance, folder: string, publicUrl: string): void {
  const files = builtFiles(folder);
  if (files.size === 0) new Logger('console').warn({ event: 'console.not_built', folder });
  const linksOf = pageLinks(files.get(pageFilesPath));
  files.delete(pageFilesPath);
  fastify.get(everything, (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const asset = files.get(path);
    if (asset && path !== '/index.html') return sendFile(request, reply, asset, path.startsWith('/assets/'));
    if (!isPage(request, path)) return reply.callNotFound();
    const page = files.get('/index.html');
    if (!page) {
      return reply
        .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': missingConsolePolicy })
        .send(missingConsole);
    }
    const signedIn = sessionTokenOf(request.headers.cookie, publicUrl) !== undefined;
    const links = [signedIn ? sessionPreload : null, linksOf(path)].filter((link) => link !== null);
    if (links.length > 0) reply.header('link', links.join(', '));
    return sendPage(reply, page);
  });
}

/**
 * Which files of its own a page begins with, as `Link` says it (RFC 8288): the browser asks for them with the page, and not
 * once its script has found which page it is. Scripts give way to styles, which show something before them.
 * @param file of `pageFilesPath`; undefined for a build without one
 * @returns for the path of an address; null where there is nothing to name
 */
function pageLinks(file: BuiltFile | undefined): (path: string) => string | null {
  const pages = file ? (JSON.parse(String(file.bodies.identity)) as PageFiles[]) : [];
  const links = pages.map(({ path, scripts, styles }) => ({
    pattern: new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}/?$`),
    link: [
      ...scripts.map((script) => `<${script}>; rel=modulepreload; fetchpriority=low; crossorigin`),
      ...styles.map((style) => `<${style}>; rel=preload; as=style; crossorigin`),
    ].join(', '),
  }));
  return (path) => links.find(({ pattern }) => pattern.test(path))?.link ?? null;
}

/** Without an `ETag`: a page that the browser keeps would have the nonce of another answer. */
function sendPage(reply: FastifyReply, { type, bodies }: BuiltFile): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  return reply
    .headers({ 'content-type': type, 'cache-control': 'no-cache', 'content-security-policy': policyWith(nonce) })
    .send(String(bodies.identity).replaceAll(noncePlaceholder, nonce));
}

/** @param hashed the name changes with the content, so that it is never asked for again */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, hashed: boolean): FastifyReply {
  const encoding = encodingFor(file, request.headers['accept-encoding']);
  reply.headers({
    'content-type': file.type,
    'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  });
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim());
  if (known?.includes(file.etag)) return reply.status(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(file.bodies[encoding] ?? file.bodies.identity);
}

/** What browsers open, and what is nobody else's. */
function isPage({ headers }: FastifyRequest, path: string): boolean {
  if (/^\/(api|auth|assets|\.well-known)(\/|$)/.test(path)) return false;
  return path === '/' || (headers.accept ?? '').includes('text/html');
}
