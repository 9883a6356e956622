import type { AttentionItem } from '#libs/contracts';
import type { AuditPage } from '../audit/audit.controller.js';
import type { BindingList, BindingView } from '../bindings/binding.dto.js';
import type { CredentialPage, CredentialView } from '../credentials/credential.dto.js';
import type { ResealProgress } from '../keys/resealer.js';
import type { RewrapProgress } from '../keys/rewrapper.js';
import type { VerificationView } from '../verification/verification.controller.js';

/** The part of a resolved credential that tests read. */
interface ResolvedAnswer {
  generation: number;
  type: string;
  fields: Record<string, string>;
  credentials: Record<string, string>;
  token_version?: number;
}

/** What each route of the vault answers. */
export type VaultViews = [
  ['GET credentials', CredentialPage],
  [`GET credentials/${string}/bindings`, BindingList],
  [`${string} credentials/${string}/bindings${string}`, BindingView],
  [`GET credentials/${string}/audit`, AuditPage],
  [`POST credentials/${string}/verify`, VerificationView],
  [`${string} credentials${string}`, CredentialView],
];

export type VaultInternalViews = [
  ['POST credentials/resolve', ResolvedAnswer],
  ['POST credentials/resolve-batch', { data: (ResolvedAnswer & { error?: { code: string } })[] }],
  [`POST credentials/${string}/reveal`, ResolvedAnswer],
  ['GET attention', { data: AttentionItem[] }],
  ['GET keys', { keys: { kid: string; deks: number }[] }],
  ['POST keys/rewrap', RewrapProgress],
  ['POST keys/reseal', ResealProgress],
  [`POST mcp-servers/${string}`, { id: string }],
  [`PUT bindings/${string}`, { unknown: string[] }],
  [`${string} bindings`, BindingView],
  ['POST credentials/describe', { data: { credential_id: string }[] }],
];
