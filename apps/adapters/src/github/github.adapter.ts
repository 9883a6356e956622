import { defineAdapter, type AdapterDefinition, type ProviderHttp } from '#libs/adapter-sdk';
import { formatMessage } from '../markdown-comments/format-message.js';
import { GITHUB_API_URL, type GithubSettings } from './api/github-api.js';
import { deliverMessage } from './deliver-message.js';
import { findDelivery } from './find-delivery.js';
import { GITHUB_COMMENTS, githubManifest } from './github.manifest.js';
import { parseGithubInbound } from './inbound/parse-inbound.js';
import { redeliverMissed } from './missed-since.js';
import { fetchFile } from './source/fetch-file.js';
import { listChanges } from './source/list-changes.js';
import { verifyCredentials } from './verify-credentials.js';
import { verifyGithubWebhook } from './verify-webhook.js';

/** GitHub over its webhooks and its REST API; also a source of documents. */
export function createGithubAdapter(http: ProviderHttp & Partial<GithubSettings>): AdapterDefinition {
  const settings = { apiUrl: GITHUB_API_URL, ...http };
  return defineAdapter({
    manifest: githubManifest,
    verify: (call) => verifyCredentials(call, settings),
    verifyWebhook: verifyGithubWebhook,
    parseInbound: parseGithubInbound,
    missedSince: (call) => redeliverMissed(call, settings),
    deliver: (call) => deliverMessage(call, settings),
    lookup: (call) => findDelivery(call, settings),
    format: (request) => formatMessage(request, GITHUB_COMMENTS),
    sources: {
      listChanges: (call) => listChanges(call, settings),
      fetchFile: (call) => fetchFile(call, settings),
    },
  });
}
