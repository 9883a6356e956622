import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { ContactStatus } from '../../path/senders/senders.js';
import type { ContactRow } from './contact.entity.js';
import type { Identity } from './contact.repository.js';
import { MessageView } from '../messages/message.dto.js';
import type { ContactDetail, ContactMessage } from './contact.service.js';

export const readsAsNote =
  'Addresses and group:<name> as whom it reads documents that only some may read, besides the addresses of its identities';

export class ContactView implements ContactRow {
  @ApiProperty(idOf('con')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: ['unknown', 'known', 'blocked'] }) status: ContactStatus;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Messages a day (UTC); null: no limit' }) daily_budget:
    number | null;
  @ApiProperty({ type: [String], description: readsAsNote }) reads_as: string[];
  @ApiProperty({ ...idOf('con'), nullable: true, description: 'The contact that it was merged into' }) merged_into:
    string | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
}

export class ContactPage extends PageOf(ContactView) {}

class ContactMessageView extends MessageView implements ContactMessage {
  @ApiProperty({ description: 'What became of it, in one word: the state of its event' }) state: string;
  @ApiProperty({ description: 'Why it is in this state, and what to do, in words' }) why: string;
}

export class ContactMessagePage extends PageOf(ContactMessageView) {}

class IdentityView implements Identity {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty() sender: string;
  @ApiProperty({ ...idOf('con'), description: 'The contact that it returns to when a merge is undone' })
  home_id: string;
  @ApiProperty({ ...time, nullable: true }) paused_until: Date | null;
  @ApiProperty({ type: String, nullable: true }) pause_reason: string | null;
  @ApiProperty(time) seen_at: Date;
}

export class ContactDetailView extends ContactView implements ContactDetail {
  @ApiProperty({ type: [IdentityView] }) identities: IdentityView[];
  @ApiProperty({ type: [String], description: 'Contacts that were merged into it' }) merged: string[];
  @ApiProperty({ description: 'Whether an erasure of its data was asked for: `GET /contacts/{id}/erasure`' })
  has_erasure: boolean;
}

export class AdmittedContactView {
  @ApiProperty({ type: ContactDetailView }) contact: ContactDetailView;
  @ApiProperty({ type: 'integer', description: 'Number of held messages that were released' }) released: number;
}

export class PairingCodeView {
  @ApiProperty({ description: 'Shown only once' }) code: string;
  @ApiProperty(time) expires_at: string;
}
