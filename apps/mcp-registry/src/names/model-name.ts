import { sha256 } from '../tools/tool-definition.js';

const maxLength = 64;
const headLength = 30;
const hashLength = 8;

/**
 * The name by which a model calls a tool of a Skill: `<skill>__<tool>`, at most 64 characters of `[A-Za-z0-9_-]`. A
 * name with other characters gets a hash of the whole, so that `a.b` and `a_b` stay distinct. A longer name keeps its
 * head and tail around that hash. Slugs have no underscore, so names of two Skills cannot collide; nor can built-in
 * tools, whose names have no double underscore.
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

/** For a tool whose name is taken nevertheless: a name made unique by the tool's id. */
export function nameById(name: string, id: string): string {
  return `${name.slice(0, maxLength - hashLength - 1)}_${sha256(id).slice(0, hashLength)}`;
}

/** Makes a slug of free text: lower-case letters, digits and dashes. */
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

/** The Skill part in the names of Python tools that an agent has directly. */
export const agentSlug = 'agent';
