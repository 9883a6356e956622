import {
  defineAdapter,
  type AdapterDefinition,
  type VerifyCall,
  type VerifyResult,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { topicOf, topicsOf } from './envelope.js';
import { parseSnsInbound } from './parse-inbound.js';
import { SigningCertificates } from './signing-certificates.js';
import { snsManifest } from './sns.manifest.js';
import { verifySnsWebhook } from './verify-signature.js';

/** Topics of Amazon SNS, inbound only: publishing needs AWS credentials, and tools have those. */
export function createSnsAdapter(http: ProviderHttp): AdapterDefinition {
  const certificates = new SigningCertificates(http);
  return defineAdapter({
    manifest: snsManifest,
    verify: verifyTopics,
    verifyWebhook: (call) => verifySnsWebhook(call, certificates),
    parseInbound: (call) => parseSnsInbound(call, http),
  });
}

/** SNS tells nobody without AWS credentials whether a topic exists, so only the ARNs are read. */
function verifyTopics({ credentials }: VerifyCall): VerifyResult {
  const given = [credentials.topic_arn].flat().flatMap((entry) => (typeof entry === 'string' ? entry.split(',') : []));
  const topics = topicsOf(credentials);
  if (topics.length === 0 || given.some((entry) => entry.trim() !== '' && !topicOf(entry.trim()))) {
    return { ok: false, error: 'the topic ARN must be arn:aws:sns:<region>:<account>:<name>, several with commas' };
  }
  return { ok: true, user: topics.map(({ arn }) => arn).join(', ') };
}
