import { serveAdapters } from '@gatehouse/adapter-sdk';
import { createAcmeAdapter } from './acme.adapter.js';

await serveAdapters([
  createAcmeAdapter({ url: process.env.ACME_API_URL || 'https://api.acme.example', timeoutMs: 10_000 }),
]);
