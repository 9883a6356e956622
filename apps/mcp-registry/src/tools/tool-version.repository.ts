import type { EntityManager } from 'typeorm';
import { ToolVersion } from './tool-version.entity.js';
import type { Tool } from './tool.entity.js';

/** Stores the definition that is in effect from now on as a new version. */
export async function addVersion(manager: EntityManager, tool: Tool, by: string): Promise<void> {
  if (!tool.definition || !tool.pin) return;
  const number = (await manager.countBy(ToolVersion, { tool_id: tool.id })) + 1;
  const { definition, pin } = tool;
  const version = { tool_id: tool.id, number, pin, definition, approved_by: by, approved_at: new Date() };
  await manager.insert(ToolVersion, version as object);
}
