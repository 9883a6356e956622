import type { Manifest } from '#libs/adapter-sdk';

export const snsManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'sns',
  name: 'Amazon SNS (inbound)',
  description: 'Receives the notifications of Amazon SNS topics, checks their signature and confirms subscriptions.',
  icon: 'cloud',
  category: 'Integration',
  capabilities: ['receive'],
  credentials: [
    {
      key: 'SNS_TOPIC_ARN',
      type: 'text',
      label: 'Topic ARN',
      maps_to: 'topic_arn',
      description: 'arn:aws:sns:<region>:<account>:<name>; several with commas. Only they can send, and be subscribed.',
    },
  ],
  setup_instructions: [
    'Store the ARN of the topic, and press Verify.',
    'Create a subscription of the topic: protocol HTTPS, endpoint the Webhook URL of the App card, raw message delivery off.',
    'The subscription is confirmed when its request arrives; the timeline says subscription_confirmed.',
  ],
  webhook: { verification: 'adapter' },
  events: [
    {
      type: 'notification',
      description: 'What somebody published to the topic; where it is JSON, it is in metadata.payload.',
    },
  ],
};
