// Places that reveal a country without naming it ("NYC", "Zug", "Bengaluru"), for reading free-text locations. The
// list has the cities where web3 teams hire and is not complete: an unknown town yields no country.

/** First-level regions whose name or postal code determines the country, by country slug. */
export const REGIONS: Readonly<Record<string, string>> = {
  'united-states':
    'alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,hawaii,idaho,illinois,indiana,iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,nebraska,nevada,new hampshire,new jersey,new mexico,new york,north carolina,north dakota,ohio,oklahoma,oregon,pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,utah,vermont,virginia,washington,west virginia,wisconsin,wyoming,washington dc',
  canada:
    'alberta,british columbia,manitoba,new brunswick,newfoundland,nova scotia,ontario,quebec,saskatchewan,yukon',
  australia: 'new south wales,queensland,south australia,tasmania,victoria australia,western australia',
  germany:
    'bavaria,bayern,hesse,hessen,saxony,sachsen,nrw,north rhine westphalia,nordrhein westfalen,baden wurttemberg,brandenburg',
  spain: 'catalonia,andalusia,madrid community',
  india: 'karnataka,maharashtra,telangana,tamil nadu,kerala,gujarat,uttar pradesh,west bengal,haryana',
};

/** Postal codes of US states and Canadian provinces. Several are also ISO country codes (CA, DE, IN). */
export const REGION_CODES: Readonly<Record<string, string>> = {
  'united-states':
    'AL,AK,AZ,AR,CA,CO,CT,DE,FL,GA,HI,ID,IL,IN,IA,KS,KY,LA,ME,MD,MA,MI,MN,MS,MO,MT,NE,NV,NH,NJ,NM,NY,NC,ND,OH,OK,OR,PA,RI,SC,SD,TN,TX,UT,VT,VA,WA,WV,WI,WY,DC',
  canada: 'AB,BC,MB,NB,NL,NS,ON,QC,SK',
};

/** Two-letter codes of both a state and a country that mean the country. All other such codes mean the state. */
export const COUNTRY_BEFORE_STATE: ReadonlySet<string> = new Set(['AR', 'DE', 'ID', 'IN', 'MT', 'NL', 'SK']);

/** Cities, by country slug. */
export const CITIES: Readonly<Record<string, string>> = {
  argentina: 'buenos aires,rosario,mendoza',
  australia: 'sydney,melbourne,brisbane,perth,adelaide,canberra,gold coast',
  austria: 'vienna,wien,graz,linz,salzburg,innsbruck',
  bahamas: 'nassau',
  belgium: 'brussels,bruxelles,antwerp,ghent,leuven',
  brazil: 'sao paulo,rio de janeiro,belo horizonte,brasilia,florianopolis,curitiba,porto alegre',
  bulgaria: 'sofia,plovdiv,varna',
  canada: 'toronto,vancouver,montreal,calgary,ottawa,waterloo,edmonton,winnipeg,halifax',
  chile: 'santiago,santiago de chile,valparaiso',
  china: 'beijing,shanghai,shenzhen,hangzhou,guangzhou,chengdu',
  colombia: 'bogota,medellin,cali,barranquilla',
  croatia: 'zagreb,split,rijeka',
  cyprus: 'nicosia,limassol,larnaca,paphos',
  'czech-republic': 'prague,praha,brno,ostrava',
  denmark: 'copenhagen,kobenhavn,aarhus,odense',
  egypt: 'cairo,alexandria,giza',
  'el-salvador': 'san salvador',
  estonia: 'tallinn,tartu',
  finland: 'helsinki,espoo,tampere,turku,oulu',
  france: 'paris,lyon,marseille,toulouse,bordeaux,nantes,lille,nice,strasbourg,montpellier,grenoble',
  georgia: 'tbilisi,batumi',
  germany:
    'berlin,munich,munchen,muenchen,hamburg,frankfurt,cologne,koln,koeln,dusseldorf,duesseldorf,stuttgart,leipzig,dresden,karlsruhe,nuremberg,nurnberg,hannover,hanover,bremen,potsdam,dortmund,essen,bonn,mannheim,heidelberg,aachen,darmstadt,freiburg',
  ghana: 'accra,kumasi',
  greece: 'athens,thessaloniki,patras',
  hungary: 'budapest,debrecen,szeged',
  iceland: 'reykjavik',
  india:
    'bangalore,bengaluru,mumbai,delhi,new delhi,hyderabad,pune,chennai,kolkata,gurgaon,gurugram,noida,ahmedabad,kochi,jaipur,indore,goa',
  indonesia: 'jakarta,bali,bandung,surabaya,yogyakarta',
  ireland: 'dublin,cork,galway,limerick',
  israel: 'tel aviv,tel aviv yafo,jerusalem,haifa,herzliya,ramat gan',
  italy: 'rome,roma,milan,milano,turin,torino,bologna,florence,naples,padua,verona',
  japan: 'tokyo,osaka,kyoto,fukuoka,yokohama,nagoya',
  kenya: 'nairobi,mombasa',
  latvia: 'riga',
  lithuania: 'vilnius,kaunas',
  malaysia: 'kuala lumpur,penang,johor bahru',
  malta: 'valletta,sliema,st julians',
  mexico: 'mexico city,ciudad de mexico,cdmx,guadalajara,monterrey,tijuana,queretaro',
  montenegro: 'podgorica,budva',
  morocco: 'casablanca,rabat,marrakesh',
  netherlands: 'amsterdam,rotterdam,utrecht,the hague,den haag,eindhoven,delft,groningen',
  'new-zealand': 'auckland,wellington,christchurch',
  nigeria: 'lagos,abuja,ibadan,port harcourt',
  norway: 'oslo,bergen,trondheim,stavanger',
  pakistan: 'karachi,lahore,islamabad',
  panama: 'panama city',
  peru: 'lima',
  philippines: 'manila,cebu,makati,quezon city,taguig,davao',
  poland: 'warsaw,warszawa,krakow,cracow,wroclaw,gdansk,poznan,lodz,katowice',
  portugal: 'lisbon,lisboa,porto,braga,coimbra,aveiro,faro,madeira',
  romania: 'bucharest,bucuresti,cluj,cluj napoca,timisoara,iasi,brasov',
  'saudi-arabia': 'riyadh,jeddah',
  serbia: 'belgrade,beograd,novi sad,nis',
  slovakia: 'bratislava,kosice',
  slovenia: 'ljubljana,maribor',
  'south-africa': 'cape town,johannesburg,durban,pretoria,stellenbosch',
  'south-korea': 'seoul,busan,pangyo,incheon',
  spain: 'madrid,barcelona,valencia,malaga,seville,sevilla,bilbao,zaragoza,tenerife,palma de mallorca',
  sweden: 'stockholm,gothenburg,goteborg,malmo,uppsala',
  switzerland:
    'zurich,zuerich,zug,geneva,geneve,lausanne,basel,bern,lugano,crypto valley,lucerne,neuchatel,winterthur',
  taiwan: 'taipei,kaohsiung,hsinchu,taichung',
  thailand: 'bangkok,chiang mai,phuket',
  turkey: 'istanbul,ankara,izmir,antalya',
  ukraine: 'kyiv,kiev,lviv,kharkiv,odesa,odessa,dnipro',
  'united-arab-emirates': 'dubai,abu dhabi,sharjah,ras al khaimah',
  'united-kingdom':
    'london,manchester,edinburgh,glasgow,bristol,cambridge,oxford,birmingham,leeds,liverpool,belfast,cardiff,brighton,nottingham,sheffield,newcastle',
  'united-states':
    'new york city,nyc,brooklyn,manhattan,san francisco,sf,bay area,sf bay area,silicon valley,palo alto,mountain view,menlo park,san mateo,oakland,berkeley,san jose,los angeles,la jolla,santa monica,san diego,seattle,bellevue,portland,austin,dallas,houston,miami,atlanta,boston,chicago,denver,boulder,philadelphia,pittsburgh,washington d c,salt lake city,las vegas,phoenix,nashville,raleigh,durham,charlotte,detroit,minneapolis,orlando,tampa,fort lauderdale,cheyenne,san antonio,sacramento,jersey city,baltimore,new orleans,st louis',
  uruguay: 'montevideo,punta del este',
  uzbekistan: 'tashkent,samarkand',
  vietnam: 'ho chi minh city,ho chi minh,hcmc,saigon,hanoi,da nang,danang',
};
