import type { CredentialBinding } from '#libs/contracts';
import { failure, isFailure, type ToolFailure } from './tool.js';

/** What a tool looks for when a call names no credential. */
export interface CredentialWish {
  /** The name that Skills usually give it. */
  as?: string;
  /** Credential types that the tool can use; absent: all. */
  types?: readonly string[];
}

/**
 * Chooses the credential of a call: the named one; else the only one, the one with the tool's usual name, or the only
 * one of a type that the tool can use.
 * @param typeOf asks the vault; called only where names do not decide
 */
export async function choose(
  bindings: CredentialBinding[],
  name: string | null,
  { as, types }: CredentialWish,
  typeOf: (binding: CredentialBinding) => Promise<string | ToolFailure>,
): Promise<CredentialBinding | ToolFailure> {
  if (bindings.length === 0) return failure('no_credential', 'This tool has no credential: a Skill has to bind one.');
  const names = bindings.map((binding) => binding.as).join(', ');
  if (name !== null) {
    return (
      bindings.find((binding) => binding.as === name) ??
      failure('no_credential', `There is no credential ${name.slice(0, 64)} here; there are: ${names}.`)
    );
  }
  const [only] = bindings;
  if (only && bindings.length === 1) return only;
  const usual = bindings.filter((binding) => binding.as === as);
  if (usual[0] && usual.length === 1) return usual[0];
  if (!types) return failure('no_credential', `Name the credential: ${names}.`);
  const kinds = await Promise.all(bindings.map(typeOf));
  const fitting = bindings.filter((_, at) => types.some((type) => type === kinds[at]));
  if (fitting[0] && fitting.length === 1) return fitting[0];
  const unread = kinds.find(isFailure);
  if (unread && fitting.length === 0) return unread;
  const told = bindings.map((binding, at) => {
    const kind = kinds[at];
    return `${binding.as} (${typeof kind === 'string' ? kind : 'not readable now'})`;
  });
  return fitting.length === 0
    ? failure('no_credential', `The tool needs a credential of the type ${types.join(' or ')}: ${told.join(', ')}.`)
    : failure('no_credential', `Several credentials fit, so name one: ${told.join(', ')}.`);
}
