import { createHash } from 'node:crypto';

const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing but the page's own style, by its hash. */
export const missingConsolePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Of a build without the console. It says that the portal is up, and of the services behind it nothing. */
export const missingConsole = `<!doctype html>
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
