import { PageOf } from '#libs/service-kit';
import { setupSteps, webhookSenders } from '#libs/webhook-senders';
import { ApiProperty } from '@nestjs/swagger';
import { EventReadingSettings } from '../apps/event-reading.dto.js';
import { SignatureSettings } from '../apps/signature-settings.dto.js';

/** A well-known sender of webhooks, and what choosing it fills in. */
export class WebhookSenderView {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'uri', description: "The sender's own page about its webhooks" }) source: string;
  @ApiProperty() signature: SignatureSettings;
  @ApiProperty() reading: EventReadingSettings;
  @ApiProperty({ description: 'Whether the platform answers a handshake of it' }) handshake: boolean;
  @ApiProperty({ type: [String], description: 'What a person does, in order' }) setup: string[];
  @ApiProperty({ type: String, nullable: true, description: 'What is not confirmed, or not covered by its signature' })
  note: string | null;
  @ApiProperty({ description: 'The body of a typical event' }) sample: string;
}

export class WebhookSenderPage extends PageOf(WebhookSenderView) {}

export const senderViews: WebhookSenderView[] = webhookSenders.map((sender) => ({
  id: sender.id,
  name: sender.name,
  source: sender.source,
  signature: sender.verification,
  reading: sender.reading,
  handshake: sender.handshake !== undefined,
  setup: setupSteps(sender),
  note: sender.note ?? null,
  sample: typeof sender.sample.body === 'string' ? sender.sample.body : JSON.stringify(sender.sample.body),
}));
