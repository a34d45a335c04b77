/** The sources of ZIP codes and place names whose licenses require attribution, or that are credited as a courtesy; see NOTICE. */
export const attribution = [
  {
    name: 'GeoNames',
    url: 'https://www.geonames.org/',
    license: 'CC BY 4.0',
    license_url: 'https://creativecommons.org/licenses/by/4.0/',
    text: 'Postal places of ZIP codes. Changed: selected, merged with counties by ZIP code, and reduced to names. Populations of places, with which the share of the residents of a ZIP code within a place was estimated.',
  },
  {
    name: 'U.S. Department of Housing and Urban Development',
    url: 'https://www.huduser.gov/portal/datasets/usps_crosswalk.html',
    license: 'public domain',
    license_url: null,
    text: 'Shares of the residential addresses of ZIP codes by county. The department does not endorse Levy.',
  },
  {
    name: 'U.S. Postal Service',
    url: 'https://tools.usps.com/zip-code-lookup.htm',
    license: 'facts',
    license_url: null,
    text: 'Names that are in use in ZIP codes. The postal service does not endorse Levy.',
  },
  {
    name: 'U.S. Census Bureau',
    url: 'https://www.census.gov/geographies/reference-files/time-series/geo/relationship-files.html',
    license: 'public domain',
    license_url: null,
    text: 'Counties, residents and coordinates of ZIP codes, names and codes of counties and places. The Census Bureau does not endorse Levy.',
  },
] as const;
