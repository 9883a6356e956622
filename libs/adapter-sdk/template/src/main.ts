import { serveAdapters } from '@gatehouse/adapter-sdk';
import { createAcmeAdapter } from './acme.adapter.js';

const { ACME_API_URL, ACME_TIMEOUT_MS } = process.env;

await serveAdapters([
  createAcmeAdapter({ url: ACME_API_URL || 'https://api.acme.example', timeoutMs: Number(ACME_TIMEOUT_MS || 10_000) }),
]);
