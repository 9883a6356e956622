/** Read by the commands. Only this file reads the process environment. Settings: docs/cli.md. */
export const environment: NodeJS.ProcessEnv = process.env;
