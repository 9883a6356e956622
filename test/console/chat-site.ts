import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site with a chat: its policy allows nothing inline, and of other origins only Gatehouse. */
export interface Site {
  origin: string;
  /** The token that its pages give the chat; null: their visitors are anonymous. */
  token: string | null;
  close(): Promise<void>;
}

export async function startSite(gatehouse: () => string, app: () => string): Promise<Site> {
  const server: Server = createServer((request, response) => {
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; img-src data:; script-src 'self' ${gatehouse()}; connect-src 'self' ${gatehouse()}`,
    );
    if (request.url === '/token') return void response.end(site.token);
    if (request.url === '/page.js') {
      response.setHeader('content-type', 'text/javascript');
      const own = "window.gatehouseChatToken = () => fetch('/token').then((answer) => answer.text());";
      return void response.end(site.token === null ? '' : own);
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><main><h1>Shop</h1></main>
      <script src="/page.js"></script>
      <script src="${gatehouse()}/web-chat.js" data-app="${app()}" data-title="Questions?" async></script></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: Site = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}
