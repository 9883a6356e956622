import { aiSenders } from './senders/ai-senders.js';
import { codeSenders } from './senders/code-senders.js';
import { commerceSenders } from './senders/commerce-senders.js';
import { formSenders } from './senders/form-senders.js';
import { messagingSenders } from './senders/messaging-senders.js';
import { moneySenders } from './senders/money-senders.js';
import { operationsSenders } from './senders/operations-senders.js';
import { phoneSenders } from './senders/phone-senders.js';
import { supportSenders } from './senders/support-senders.js';
import type { WebhookSender } from './webhook-sender.js';

/** By name. */
export const webhookSenders: readonly WebhookSender[] = [
  ...aiSenders,
  ...codeSenders,
  ...commerceSenders,
  ...formSenders,
  ...messagingSenders,
  ...moneySenders,
  ...operationsSenders,
  ...phoneSenders,
  ...supportSenders,
].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));

const byId = new Map(webhookSenders.map((sender) => [sender.id, sender]));

export function senderById(id: string): WebhookSender | undefined {
  return byId.get(id);
}
