import { type MovedRows, ofProject, through } from '#libs/project-rows';

const ofSkill = (name: string) => through(name, 'skill_id', 'registry.skill');

/** What the registry has of a project. */
export const movedRows: MovedRows = {
  schema: 'registry',
  moved: [
    ofProject('registry.mcp_server'),
    ofProject('registry.tool'),
    through('registry.tool_version', 'tool_id', 'registry.tool'),
    ofProject('registry.skill'),
    ofSkill('registry.skill_version'),
    ofSkill('registry.skill_tool'),
    ofSkill('registry.skill_credential'),
    ofProject('registry.tool_call'),
    ofProject('registry.audit', { may: 'add' }),
    through('registry.mcp_session', 'server_id', 'registry.mcp_server'),
  ],
  stays: {},
  open: [],
};
