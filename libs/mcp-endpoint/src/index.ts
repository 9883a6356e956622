export { answerMcp, type McpAsked, type McpLimits } from './answer-mcp.js';
