import { sha256 } from './tool-definition.js';

const maxLength = 64;
const headLength = 30;
const hashLength = 8;

/**
 * What a model calls a tool of a Skill by: `<skill>__<tool>`, at most 64 of `[A-Za-z0-9_-]`; a longer one keeps its
 * beginning and its end around a hash of the whole. Slugs have no underscore, so no two Skills can meet, and no name of a
 * built-in tool has two.
 */
export function modelName(skillSlug: string, tool: string): string {
  const full = `${skillSlug}__${tool.replace(/[^\w-]/g, '_')}`;
  if (full.length <= maxLength) return full;
  const tail = full.slice(-(maxLength - headLength - hashLength - 2));
  return `${full.slice(0, headLength)}_${sha256(`${skillSlug}__${tool}`).slice(0, hashLength)}_${tail}`;
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
