import { saysSessionLost } from './session-words.js';

describe('an error of JSON-RPC', () => {
  it.each([
    [-32_001, 'Session not found'],
    [-32_000, 'Bad Request: No valid session ID provided'],
    [-32_000, 'Bad Request: Server not initialized'],
    [-32_000, 'Bad Request: Mcp-Session-Id header is required'],
    [-32_600, 'Invalid Request: Missing session ID'],
    [-32_600, 'Invalid or expired session'],
    [-32_600, 'Session has been terminated'],
    [-32_602, 'Received request before initialization was complete'],
    [-32_002, 'Server is not initialized'],
    [-32_000, 'Unknown session'],
    [-32_003, 'MCP error -32003: Session expired, please reinitialize'],
    [-32_001, 'session 3f2a-11 does not exist'],
  ])('%i %j says that the session is lost', (code, message) => {
    expect(saysSessionLost(code, message)).toBe(true);
  });

  it.each([
    [-32_603, 'Session not found'],
    [-32_602, 'The checkout session was not found'],
    [-32_000, 'Login at the shop failed: session expired'],
    [-32_000, 'Could not book: the yoga session is closed'],
    [-32_601, 'Method not found'],
    [-32_000, 'Database connection closed'],
  ])('%i %j does not, since a tool may have run', (code, message) => {
    expect(saysSessionLost(code, message)).toBe(false);
  });
});
