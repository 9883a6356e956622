import { sha256 } from './tool-definition.js';

const maxLength = 64;
const headLength = 30;
const hashLength = 8;

/**
 * What a model calls a tool of a Skill by: `<skill>__<tool>`, at most 64 of `[A-Za-z0-9_-]`. A tool whose name has other
 * characters ends in a hash of the whole, so that `a.b` and `a_b` are two, whichever is there; a longer one keeps its
 * beginning and its end around that. Slugs have no underscore, so no two Skills can meet, and no name of a built-in tool has
 * two.
 */
export function modelName(skillSlug: string, tool: string): string {
  const given = `${skillSlug}__${tool}`;
  const full = given.replace(/[^\w-]/g, '_');
  const hash = sha256(given).slice(0, hashLength);
  const named = full === given ? full : `${full}_${hash}`;
  if (named.length <= maxLength) return named;
  const tail = full.slice(-(maxLength - headLength - hashLength - 2));
  return `${full.slice(0, headLength)}_${hash}_${tail}`;
}

/** For a tool whose name another one has all the same: a name by its id, which is its own. */
export function nameById(name: string, id: string): string {
  return `${name.slice(0, maxLength - hashLength - 1)}_${sha256(id).slice(0, hashLength)}`;
}

/** A slug made of free text: lower-case letters, digits and dashes. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return slug || 'skill';
}

export const slugPattern = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The Skill part of Python tools that an agent has by itself. */
export const agentSlug = 'agent';
