/**
 * The name of a service's replica; the first one has the service's own name.
 * @param {string} service @param {number} replica
 */
export const copyOf = (service, replica) => (replica === 1 ? service : `${service} ${replica}`);
