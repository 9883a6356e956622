import type { Capability } from '#libs/adapter-sdk';
import { Text } from '#libs/service-kit';
import { Capabilities } from '../apps/app.dto.js';

export class InstallListing {
  @Text(200, { optional: true, minLength: 1, description: "The listing's name when absent; the direction is appended" })
  name?: string;
  @Text(100, {
    optional: true,
    nullable: true,
    description: 'Its fields fill the declared credentials; it may be set later',
  })
  credential_id?: string | null;
  @Capabilities() capabilities?: Capability[];
}
