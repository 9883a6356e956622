import { createHash } from 'node:crypto';

const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing but the page's own style, by its hash. */
export const frontPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A page without scripts or outside assets. It says that the portal is up, and of the services behind it nothing. */
export const frontPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Gatehouse</title><meta name="viewport" content="width=device-width">
<style>${style}</style>
</head>
<body>
<h1>Gatehouse</h1>
<p>Connects AI agents to external systems: takes their webhooks, runs workflows and agents on them, and delivers the replies.</p>
<p>It is up.</p>
<ul>
<li><a href="/api/v1/openapi.json">The API, as an OpenAPI 3.1 document</a> (send <code>Authorization: Bearer gh_…</code>)</li>
</ul>
</body>
</html>
`;
