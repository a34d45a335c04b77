/** The states that publish rate and boundary files under the Streamlined Sales and Use Tax Agreement. */
export const streamlinedStates: readonly string[] = [
  ...['AR', 'GA', 'IA', 'IN', 'KS', 'KY', 'MI', 'MN', 'NC', 'ND', 'NE', 'NJ'],
  ...['NV', 'OH', 'OK', 'RI', 'SD', 'TN', 'UT', 'VT', 'WA', 'WI', 'WV', 'WY'],
];

/** Returns whether Levy can import the boundary file (rates by ZIP+4) of a state (`US-MN`). */
export const hasBoundaryFile = (state: string): boolean =>
  streamlinedStates.some((letters) => state === `US-${letters}`);
