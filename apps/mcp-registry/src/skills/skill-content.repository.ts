import type { EntityManager } from 'typeorm';
import { SkillCredential } from '../entities/skill-credential.entity.js';
import { SkillTool } from '../entities/skill-tool.entity.js';
import { type SkillContent, type SkillCredentialEntry, SkillVersion } from '../entities/skill-version.entity.js';
import { Skill } from '../entities/skill.entity.js';

/** The content of a Skill, assembled from its rows. */
export async function readContent(manager: EntityManager, skill: Skill): Promise<SkillContent> {
  const tools = await manager.find(SkillTool, { where: { skill_id: skill.id }, order: { tool: 'ASC' } });
  const credentials = await manager.find(SkillCredential, { where: { skill_id: skill.id }, order: { name: 'ASC' } });
  return {
    name: skill.name,
    description: skill.description,
    knowledge: skill.knowledge,
    tools: tools.map(({ tool, enabled }) => ({ tool, enabled })),
    credentials: credentials.map(entryOf),
  };
}

/** Replaces the content of a Skill and stores it as the next version. The caller holds the lock on the Skill's row. */
export async function writeContent(
  manager: EntityManager,
  skill: Skill,
  content: SkillContent,
  by: string,
): Promise<Skill> {
  const now = new Date();
  const { name, description, knowledge, tools, credentials } = content;
  const changed = { name, description, knowledge, version: skill.version + 1, updated_at: now };
  await manager.update(Skill, { id: skill.id }, changed);
  await manager.delete(SkillTool, { skill_id: skill.id });
  await manager.delete(SkillCredential, { skill_id: skill.id });
  if (tools.length > 0) {
    await manager.insert(
      SkillTool,
      tools.map(({ tool, enabled }) => ({ skill_id: skill.id, tool, enabled })),
    );
  }
  if (credentials.length > 0) {
    await manager.insert(
      SkillCredential,
      credentials.map(({ credential_id, as, hosts = [], header = null, scheme = null, trust = null }) => ({
        skill_id: skill.id,
        name: as,
        credential_id,
        hosts,
        header,
        scheme,
        trust,
      })),
    );
  }
  const version = { skill_id: skill.id, version: changed.version, content, created_by: by, created_at: now };
  await manager.insert(SkillVersion, version as object);
  return { ...skill, ...changed };
}

function entryOf({ credential_id, name, hosts, header, scheme, trust }: SkillCredential): SkillCredentialEntry {
  return {
    credential_id,
    as: name,
    ...(hosts.length > 0 ? { hosts } : {}),
    ...(header === null ? {} : { header }),
    ...(scheme === null ? {} : { scheme }),
    ...(trust === null ? {} : { trust }),
  };
}
