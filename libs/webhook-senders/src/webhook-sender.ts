import type { SignatureScheme } from '#libs/adapter-sdk';
import type { DeclaredHandshake } from '#libs/contracts';
import type { EventReading } from '#libs/contracts';

/** A well-known sender of webhooks: how it proves itself, what its events say, and what a person does on its side. */
export interface WebhookSender {
  id: string;
  name: string;
  /** The sender's own page about it. */
  source: string;
  /** Without a secret in it. */
  verification: Omit<SignatureScheme, 'secret_fields'>;
  reading: EventReading;
  handshake?: DeclaredHandshake;
  /** What it wants to be answered. */
  ack?: { status: number; body: string; content_type: string };
  /** Where in its settings a webhook is added. */
  menu: string;
  /** What the secret is called there, or who makes it. */
  secret: string;
  /** Further steps, in their order. */
  steps?: string[];
  /** What no page confirms, or what the signature leaves open. */
  note?: string;
  /** The beginning of a typical event. */
  sample: { headers?: Record<string, string>; body: object | string };
}

/** What a person does, in order. */
export function setupSteps({ name, menu, secret, steps = [] }: WebhookSender): string[] {
  return [
    `In ${name}, open ${menu} and enter the webhook URL of this App.`,
    `Store ${secret} as the signing secret of this App.`,
    ...steps,
  ];
}
