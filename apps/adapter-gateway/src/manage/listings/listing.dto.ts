import type { Capability } from '#libs/adapter-sdk';
import { Name } from '#libs/service-kit';
import { CredentialForAll, CredentialsByKey } from '../apps/app-credential.dto.js';
import { Capabilities } from '../apps/app.dto.js';

export class InstallListing {
  @Name(200, { optional: true, description: "The listing's name when absent; the direction is appended" })
  name?: string;
  @CredentialForAll() credential_id?: string | null;
  @CredentialsByKey() credentials?: Record<string, string | null>;
  @Capabilities() capabilities?: Capability[];
}
