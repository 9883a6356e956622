import { randomBytes, createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BuiltFile, builtFiles, encodingFor } from './built-files.js';
import { sessionTokenOf } from '../authentication/session-cookie.js';

interface PageFiles {
  /** As the console's router writes it: `/p/$projectId/events`. */
  path: string;
  scripts: string[];
  styles: string[];
}

/** Where a build lists the files that each page needs first. Browsers never request it. */
const pageFilesPath = '/page-files.json';

const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** Allows nothing but the page's own style, by its hash. */
const missingConsolePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Served when the console was not built. It says that the portal is up, and nothing about the services behind it. */
const missingConsole = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Gatehouse</title><meta name="viewport" content="width=device-width">
<style>${style}</style>
</head>
<body>
<h1>Gatehouse</h1>
<p>Gatehouse is running, but the console was not built: <code>npm start</code> builds it.</p>
<ul>
<li><a href="/api/v1/openapi.json">The API, as an OpenAPI 3.1 document</a> (send <code>Authorization: Bearer gh_…</code>)</li>
</ul>
</body>
</html>
`;

/** Fetches each visit for the browser, and says so where nobody answers. It may do nothing else. */
const worker = { path: '/offline-worker.js', policy: "default-src 'none'; connect-src 'self'" };

/** Matches whatever no other route does. */
const everything = '/*';

/** Every page of a signed-in user needs this answer first. Preloaded, it arrives before the page's script runs. */
const sessionPreload = '</api/v1/session>; rel=preload; as=fetch; crossorigin';

/** Marks the nonce's place in the built page. */
const noncePlaceholder = '%CSP_NONCE%';

/**
 * Scripts, images and requests of the portal's own origin only. Components measure themselves and add styles at run
 * time, so styles need the page's nonce. Style attributes are allowed without it, because browsers write some
 * themselves into edited text such as the code editor's.
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

/** Whether a route is the console's. Its answers set their own caching headers. */
export function isConsole(route: string): boolean {
  return route === everything;
}

/**
 * Serves the console. It routes on the client, so every page address gets the same page; a path that names a file is
 * that file or a 404.
 * @param folder of the build
 * @param publicUrl determines the name of the session cookie
 */
export function consoleRoutes(fastify: FastifyInstance, folder: string, publicUrl: string): void {
  const files = builtFiles(folder);
  if (files.size === 0) new Logger('console').warn({ event: 'console.not_built', folder });
  const linksOf = pageLinks(files.get(pageFilesPath));
  files.delete(pageFilesPath);
  fastify.get(everything, (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const asset = files.get(path);
    if (asset && path !== '/index.html') {
      // A page of its own: without a policy for pages it could run nothing.
      if (asset.type.startsWith('text/html')) return sendPage(reply, asset);
      if (path === worker.path) reply.header('content-security-policy', worker.policy);
      return sendFile(request, reply, asset, path.startsWith('/assets/'));
    }
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
 * The files that a page needs first, as a `Link` header (RFC 8288): the browser fetches them together with the page,
 * not only once its script has found out which page it is. Scripts have low priority, because styles make something
 * visible sooner.
 * @param file of `pageFilesPath`; undefined for a build without one
 * @returns a function from a path to its header; null where there is nothing to preload
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

/** Without an `ETag`: a cached page would carry the nonce of an earlier answer. */
function sendPage(reply: FastifyReply, { type, bodies }: BuiltFile): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  return reply
    .headers({ 'content-type': type, 'cache-control': 'no-cache', 'content-security-policy': policyWith(nonce) })
    .send(String(bodies.identity).replaceAll(noncePlaceholder, nonce));
}

/** @param hashed the name changes with the content, so the file never needs revalidation */
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

/** Addresses that browsers open and that belong to no other route. */
function isPage({ headers }: FastifyRequest, path: string): boolean {
  if (/^\/(api|auth|assets|\.well-known)(\/|$)/.test(path)) return false;
  return path === '/' || (headers.accept ?? '').includes('text/html');
}
