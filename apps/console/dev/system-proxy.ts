import type { ProxyOptions } from 'vite';
import { env } from '../env.ts';

/** Proxies the pages' requests to a running system, as if its portal served the pages. */
const toSystem: ProxyOptions = {
  target: env.systemUrl,
  changeOrigin: true,
  configure(proxy) {
    proxy.on('proxyReq', (request) => {
      if (request.hasHeader('origin')) request.setHeader('origin', new URL(env.systemUrl).origin);
      if (env.apiKey) request.setHeader('authorization', `Bearer ${env.apiKey}`);
    });
  },
};

export const systemProxy: Record<string, ProxyOptions> = { '/api': toSystem, '/health': toSystem };
