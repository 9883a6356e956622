export { readEvents, type ReadEvent } from './event-reading.js';
export { setupSteps, type WebhookSender } from './webhook-sender.js';
export { senderById, webhookSenders } from './webhook-senders.js';
