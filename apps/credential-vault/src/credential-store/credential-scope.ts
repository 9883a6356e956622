import type { Principal } from '#libs/service-kit';

/** The owner of credentials. Every query is limited to it. */
export type CredentialScope = Pick<Principal, 'organizationId' | 'projectId'>;
