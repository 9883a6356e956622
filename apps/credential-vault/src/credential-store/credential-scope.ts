import type { Principal } from '#libs/service-kit';

/** Whose credentials: every query is held to it. */
export type CredentialScope = Pick<Principal, 'organizationId' | 'projectId'>;
