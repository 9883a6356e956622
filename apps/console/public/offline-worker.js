// Answers a visit that reaches nobody with a page that says so, and opens what was wanted as soon as it can.
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Gatehouse does not answer</title>
    <style>
      body { display: grid; place-content: center; min-height: 90vh; margin: 1rem; font: 16px/1.5 system-ui, sans-serif; text-align: center }
      h1 { font-size: 1.25rem }
    </style>
  </head>
  <body>
    <main>
      <h1>Gatehouse does not answer</h1>
      <p>This page opens by itself as soon as it is back.</p>
    </main>
    <script>
      const look = () => fetch('/health/live', { cache: 'no-store' }).then(({ ok }) => ok && location.reload(), () => null);
      setInterval(look, 2000);
    </script>
  </body>
</html>`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  // Nothing of others is in the page.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
};

addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  event.respondWith(fetch(event.request).catch(() => new Response(page, { status: 503, headers })));
});
