import type { Capability } from '#libs/adapter-sdk';
import { idOf, Name, PageOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { CredentialDeclarationView, ManifestAuthorView, ManifestSkillView } from '../adapters/manifest.dto.js';
import { CredentialForAll, CredentialsByKey } from '../apps/app-credential.dto.js';
import { Capabilities } from '../apps/app.dto.js';
import type { Listing } from './listing.js';

export class InstallListing {
  @Name(200, { optional: true, description: "The listing's name when absent; the direction is appended" })
  name?: string;
  @CredentialForAll() credential_id?: string | null;
  @CredentialsByKey() credentials?: Record<string, string | null>;
  @Capabilities() capabilities?: Capability[];
}

class ListedAdapter {
  @ApiProperty(idOf('adp')) id: string;
  @ApiProperty({ enum: ['ready', 'unready'] }) state: 'ready' | 'unready';
  @ApiProperty({ description: 'A person took it out of use' }) disabled: boolean;
  @ApiProperty({ type: String, nullable: true }) version: string | null;
  @ApiProperty({ type: 'integer' }) manifest_version: number;
}

export class ListingView implements Listing {
  @ApiProperty() slug: string;
  @ApiProperty({ enum: ['builtin', 'adapter', 'skill'] }) kind: Listing['kind'];
  @ApiProperty() name: string;
  @ApiProperty() description: string;
  @ApiProperty({ type: String, nullable: true }) icon: string | null;
  @ApiProperty() category: string;
  @ApiProperty({ enum: ['send', 'receive'], isArray: true }) capabilities: Capability[];
  @ApiProperty({ type: [CredentialDeclarationView] }) credentials: CredentialDeclarationView[];
  @ApiProperty({ type: [String] }) setup_instructions: string[];
  @ApiProperty({ type: ManifestAuthorView, nullable: true }) author: ManifestAuthorView | null;
  @ApiProperty({ type: ManifestSkillView, nullable: true }) skill: ManifestSkillView | null;
  @ApiProperty({ description: 'Whether consent is given through an OAuth flow' }) oauth: boolean;
  @ApiProperty({ description: 'Whether its provider sends events for a time, and then has to be asked again' })
  renews_webhook: boolean;
  @ApiProperty({ description: 'Its events can be fetched from the provider (PUT /api/v1/apps/{id}/connection)' })
  can_fetch: boolean;
  @ApiProperty({ description: "A chat for pages of one's own, whose conversations are kept here" }) web_chat: boolean;
  @ApiProperty({ description: 'Answers of web chats may go by it to visitors who are away' }) sends_mail: boolean;
  @ApiProperty({
    type: ListedAdapter,
    nullable: true,
    description: 'Null for the built-in App, and for a shipped adapter that the project has not registered yet',
  })
  adapter: ListedAdapter | null;
  @ApiProperty({ ...idOf('app'), nullable: true, description: "The project's App of it" }) app_id: string | null;
}

export class ListingPage extends PageOf(ListingView) {}
