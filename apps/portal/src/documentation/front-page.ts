import type { ServiceHealth } from './services-health.js';

/** A page without scripts or outside assets. Nothing in it comes from a request. */
export function frontPage(services: readonly ServiceHealth[]): string {
  const rows = services.map(({ service, state }) => `<tr><td>${service}</td><td>${state}</td></tr>`).join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Gatehouse</title><meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}td{padding:.1rem 2rem .1rem 0}</style>
</head>
<body>
<h1>Gatehouse</h1>
<p>Connects AI agents to external systems: takes their webhooks, runs workflows and agents on them, and delivers the replies.</p>
<ul>
<li><a href="/api/v1/openapi.json">The API, as an OpenAPI 3.1 document</a> (send <code>Authorization: Bearer gh_…</code>)</li>
<li><a href="/health/ready">Health of this service</a></li>
</ul>
<table><caption>Services</caption><tbody>${rows}</tbody></table>
</body>
</html>
`;
}
