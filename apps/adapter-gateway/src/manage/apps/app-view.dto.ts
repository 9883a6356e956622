import type { Capability } from '#libs/adapter-sdk';
import { type TextFrom, textSources } from '#libs/contracts';
import { Failure, idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { AppRow, AppState } from '../../entities/app.entity.js';
import { AppCondition } from './app-condition.js';
import { AppCredentialView } from './app-credential.dto.js';
import { AppWarning } from './app-warnings.js';
import type { Direction } from './direction.js';
import { EventReadingSettings } from './event-reading.dto.js';
import { SignatureView } from './signature-settings.dto.js';
import type { AddressHidden, WebhookAddress } from './webhook-address.js';

type Hidden =
  | 'token_hash'
  | 'sealed_token'
  | 'retired_token_hashes'
  | 'previous_token_hash'
  | 'organization_id'
  | 'origin_marker'
  | 'has_reply_address'
  | 'reply_address'
  | 'project_closed'
  | 'self'
  | 'bindings_due_at'
  | 'credentials';

/** An App as the API shows it. An App that does not receive has no webhook to show. */
export class AppView implements Omit<AppRow, Hidden>, WebhookAddress {
  @ApiProperty(idOf('app')) id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: ['builtin', 'adapter'] }) kind: AppRow['kind'];
  @ApiProperty({ ...idOf('adp'), nullable: true }) adapter_id: string | null;
  @ApiProperty({ type: String, nullable: true, description: "The adapter's slug; null: the built-in Webhook app" })
  provider: string | null;
  @ApiProperty({ ...idOf('skl'), nullable: true, description: "The Skill that its adapter's manifest declares" })
  skill_id: string | null;
  @ApiProperty({ enum: ['send', 'receive'], isArray: true }) capabilities: Capability[];
  @ApiProperty({ enum: ['inbound', 'outbound', 'bidirectional'], nullable: true }) direction: Direction | null;
  @ApiProperty({
    enum: ['send', 'receive'],
    isArray: true,
    description: 'Capabilities that the manifest in force no longer offers',
  })
  withdrawn_capabilities: Capability[];
  @ApiProperty({ type: [AppCredentialView], description: 'Declared credentials, and the records linked to them' })
  credentials: AppCredentialView[];
  @ApiProperty({ type: [String], description: 'Keys of required declarations without a usable record' })
  missing: string[];
  @ApiProperty({ type: String, enum: ['paused', 'adapter_disabled'], nullable: true, description: 'Why messages wait' })
  held_reason: 'paused' | 'adapter_disabled' | null;
  @ApiProperty({ enum: ['active', 'paused', 'disabled', 'retired'] }) state: AppState;
  @ApiProperty({ type: AppCondition, description: 'Whether it works' }) condition: AppCondition;
  @ApiProperty({ type: String, nullable: true }) webhook_token: string | null;
  @ApiProperty({ type: String, nullable: true }) webhook_path: string | null;
  @ApiProperty({ type: String, format: 'uri', nullable: true }) webhook_url: string | null;
  @ApiProperty({
    type: String,
    enum: ['does_not_receive', 'needs_apps_write', 'sealed_with_another_key'],
    nullable: true,
    description: 'Why the URL is not shown. If GATEHOUSE_WEBHOOK_KEY was lost, rotate the token to get a new URL',
  })
  webhook_hidden: AddressHidden | null;
  @ApiProperty({ ...time, nullable: true, description: 'Until then the URL from before the last rotation works' })
  previous_token_until: Date | null;
  @ApiProperty({
    type: SignatureView,
    nullable: true,
    description: 'Only for the built-in Webhook app; null: signatures are not checked',
  })
  signature: SignatureView | null;
  @ApiProperty({ type: String, nullable: true, description: 'The well-known sender that was chosen' })
  sender: string | null;
  @ApiProperty({ type: EventReadingSettings, nullable: true, description: 'Where its events have what is read' })
  reading: EventReadingSettings | null;
  @ApiProperty({
    enum: textSources,
    description: 'Only for the built-in Webhook app: who writes the text of its messages',
  })
  text_from: TextFrom;
  @ApiProperty({ type: 'integer' }) max_body_bytes: number;
  @ApiProperty({ type: Failure, nullable: true, description: 'Why its webhook could not be renewed' })
  renewal_failure: Failure | null;
  @ApiProperty({ type: [AppWarning], description: 'What does not work as the App is set up, and what to do' })
  warnings: AppWarning[];
  @ApiProperty({ type: 'integer', description: 'Increases with every change' }) version: number;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
}

export class AppPage extends PageOf(AppView) {}
