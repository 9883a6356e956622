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

/** The answer of each route of the vault. */
export type VaultViews = [
  ['GET /api/v1/credentials', CredentialPage],
  [`GET /api/v1/credentials/${string}/bindings`, BindingList],
  [`${string} /api/v1/credentials/${string}/bindings${string}`, BindingView],
  [`GET /api/v1/credentials/${string}/audit`, AuditPage],
  [`POST /api/v1/credentials/${string}/verify`, VerificationView],
  [`${string} /api/v1/credentials${string}`, CredentialView],
  ['POST /internal/credentials/resolve', ResolvedAnswer],
  ['POST /internal/credentials/resolve-batch', { data: (ResolvedAnswer & { error?: { code: string } })[] }],
  [`POST /internal/credentials/${string}/reveal`, ResolvedAnswer],
  ['GET /internal/attention', { data: AttentionItem[] }],
  ['GET /internal/keys', { keys: { kid: string; deks: number }[] }],
  ['POST /internal/keys/rewrap', RewrapProgress],
  ['POST /internal/keys/reseal', ResealProgress],
  [`POST /internal/mcp-servers/${string}`, { id: string }],
  [`PUT /internal/bindings/${string}`, { unknown: string[] }],
  [`${string} /internal/bindings`, BindingView],
  ['POST /internal/credentials/describe', { data: { credential_id: string }[] }],
];
