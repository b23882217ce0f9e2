"""A made-up export of Apple Health, and what a plain computation says of it.

The same numbers give the same file, byte for byte. Every kind of element is there. With `clean` the file is what a strict parser reads;
otherwise it has what breaks parsers: a byte order mark, a document type that contradicts the file, control characters in attributes, times
of day in the form of a language.

    apple.py FILE [--records N] [--days N] [--newer] [--clean] [--zip FILE] [--truth FILE]
"""

import argparse
import datetime
import io
import json
import random
import sys
import zipfile

WATCH = ("Anna\u2019s Apple\u00a0Watch", "10.3.1",
         "&lt;&lt;HKDevice: 0x2{:08x}&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, "
         "software:10.3.1, creation date:2024-01-01 00:00:00 +0000&gt;")
PHONE = ("iPhone", "17.4", "&lt;&lt;HKDevice: 0x2{:08x}&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, "
         "hardware:iPhone14,5, software:17.4&gt;")
SCALE = ("Scale &amp; Co", "3", "")
START = datetime.datetime(2021, 3, 1, 8, 0, 0)
ZONE = -8

# Type, unit, how often a day, where from, value of a random number, metadata.
PLAIN = [
    ("HKQuantityTypeIdentifierHeartRate", "count/min", 0.52, WATCH, lambda r: str(r.randint(48, 168)),
     ("HKMetadataKeyHeartRateMotionContext", "012")),
    ("HKQuantityTypeIdentifierStepCount", "count", 0.14, PHONE, lambda r: str(r.randint(1, 900)), None),
    ("HKQuantityTypeIdentifierDistanceWalkingRunning", "km", 0.1, PHONE, lambda r: f"{r.randint(1, 900) / 1000:.3f}", None),
    ("HKQuantityTypeIdentifierActiveEnergyBurned", "Cal", 0.1, WATCH, lambda r: f"{r.randint(1, 9000) / 1000:.3f}", None),
    ("HKQuantityTypeIdentifierEnvironmentalAudioExposure", "dBASPL", 0.03, WATCH, lambda r: f"{r.randint(300, 900) / 10:.1f}", None),
    ("HKQuantityTypeIdentifierOxygenSaturation", "%", 0.03, WATCH, lambda r: f"0.{r.randint(90, 99)}", None),
    ("HKQuantityTypeIdentifierRespiratoryRate", "count/min", 0.02, WATCH, lambda r: f"{r.randint(100, 220) / 10:.1f}", None),
    ("HKQuantityTypeIdentifierBodyTemperature", "degF", 0.005, SCALE, lambda r: f"{r.randint(960, 1000) / 10:.1f}", None),
    ("HKQuantityTypeIdentifierBodyMass", "lb", 0.005, SCALE, lambda r: f"{r.randint(1500, 1700) / 10:.1f}",
     ("HKWasUserEntered", "1")),
    ("HKQuantityTypeIdentifierVO2Max", "mL/min\u00b7kg", 0.005, WATCH, lambda r: f"{r.randint(300, 500) / 10:.1f}", None),
]
# What a value is in our unit.
OURS = {
    "HKQuantityTypeIdentifierDistanceWalkingRunning": lambda v: v * 1000,
    "HKQuantityTypeIdentifierOxygenSaturation": lambda v: v * 100,
    "HKQuantityTypeIdentifierBodyTemperature": lambda v: (v + 459.67) * 5 / 9 - 273.15,
    "HKQuantityTypeIdentifierBodyMass": lambda v: v * 0.45359237,
}
# Locations of a route.
ROUTE = 60
SLEEP_OLD = ["HKCategoryValueSleepAnalysisInBed", "HKCategoryValueSleepAnalysisAsleep", "HKCategoryValueSleepAnalysisAwake"]
SLEEP_NEW = ["HKCategoryValueSleepAnalysisAsleepCore", "HKCategoryValueSleepAnalysisAsleepDeep",
             "HKCategoryValueSleepAnalysisAsleepREM", "HKCategoryValueSleepAnalysisAwake",
             "HKCategoryValueSleepAnalysisAsleepUnspecified"]
SLEEP_VALUE = {"InBed": 0, "Asleep": 1, "AsleepUnspecified": 1, "Awake": 2, "AsleepCore": 3, "AsleepDeep": 4, "AsleepREM": 5}

DOCTYPE = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 13 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ELEMENT Record EMPTY>
<!ATTLIST Record type CDATA #REQUIRED>
%s]>
"""
# What some versions have: a line that is no declaration.
WRONG = "<!ELEMENT WorkoutRoute ((MetadataEntry|FileReference)*)\n<!ATTLIST Record value CDATA #IMPLIED\n  device\n>\n"


def when(seconds):
    """A time as the export has it, that many seconds after the start of all."""
    moment = START + datetime.timedelta(seconds=seconds + ZONE * 3600)
    return moment.strftime("%Y-%m-%d %H:%M:%S ") + f"{ZONE * 100:+05d}"


class Truth:
    def __init__(self):
        self.quantities, self.categories, self.counts = {}, {}, {}

    def add(self, type, text):
        name = type.removeprefix("HKQuantityTypeIdentifier")
        name = name[0].lower() + name[1:]
        value = OURS.get(type, lambda v: v)(float(text))
        count, total, least, most = self.quantities.get(name, (0, 0.0, float("inf"), float("-inf")))
        self.quantities[name] = (count + 1, total + value, min(least, value), max(most, value))

    def count(self, name, by=1):
        self.counts[name] = self.counts.get(name, 0) + by

    def document(self):
        return {"quantities": {name: {"count": c, "sum": s, "minimum": lo, "maximum": hi}
                               for name, (c, s, lo, hi) in sorted(self.quantities.items()) if name != "vO2Max"},
                "categories": dict(sorted(self.categories.items())), "counts": dict(sorted(self.counts.items()))}


def attributes(source, random):
    name, version, device = source
    text = f' sourceName="{name}" sourceVersion="{version}"'
    return text + (f' device="{device.format(random.getrandbits(32))}"' if device else "")


def write(out, records, days, newer, clean, truth):
    # Pointers differ from export to export.
    pointers = random.Random(f"pointers {newer}")
    put = out.write
    if not clean:
        put("\ufeff")
    put('<?xml version="1.0" encoding="UTF-8"?>\n')
    put(DOCTYPE % ("" if clean else WRONG))
    put('<HealthData locale="en_US">\n')
    put(f' <ExportDate value="{when(days * 86400 + (86400 if newer else 0))}"/>\n')
    put(' <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-01" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>\n')
    for type, unit, share, source, value, metadata in PLAIN:
        made = random.Random(f"{type}")
        amount = int(records * share)
        step = days * 86400 / max(amount, 1)
        extra = max(1, int(amount * 0.02)) if newer else 0
        for index in range(amount + extra):
            second = int(index * step)
            length = 0 if "Rate" in type or "Body" in type else min(int(step), 300)
            text = value(made)
            head = f' <Record type="{type}"{attributes(source, pointers)} unit="{unit}" creationDate="{when(second + length)}"' \
                   f' startDate="{when(second)}" endDate="{when(second + length)}" value="{text}"'
            if metadata:
                key, choices = metadata
                put(f'{head}>\n  <MetadataEntry key="{key}" value="{made.choice(choices)}"/>\n </Record>\n')
            else:
                put(head + "/>\n")
            truth.add(type, text)
    few = max(10, records // 2000)
    nights = random.Random("sleep")
    for night in range(few + (few // 20 + 1 if newer else 0)):
        second = night * 86400 * days // max(few, 1) + 3600 * 22
        for stage in range(12):
            name = nights.choice(SLEEP_OLD if night < few // 2 else SLEEP_NEW)
            put(f' <Record type="HKCategoryTypeIdentifierSleepAnalysis"{attributes(WATCH, pointers)}'
                f' creationDate="{when(second + 30000)}" startDate="{when(second)}" endDate="{when(second + 900)}" value="{name}">\n'
                '  <MetadataEntry key="HKTimeZone" value="America/Los_Angeles"/>\n </Record>\n')
            number = SLEEP_VALUE[name.removeprefix("HKCategoryValueSleepAnalysis")]
            truth.categories[f"sleepAnalysis {number}"] = truth.categories.get(f"sleepAnalysis {number}", 0) + 1
            second += 900
    for index in range(few // 4 + 1):
        second = index * 86400 * 3 + 50000
        put(f' <Record type="HKCategoryTypeIdentifierHighHeartRateEvent"{attributes(WATCH, pointers)}'
            f' creationDate="{when(second + 600)}" startDate="{when(second)}" endDate="{when(second + 600)}" value="HKCategoryValueNotApplicable">\n'
            '  <MetadataEntry key="HKHeartRateEventThreshold" value="120 count/min"/>\n </Record>\n')
        truth.categories["highHeartRateEvent 0"] = truth.categories.get("highHeartRateEvent 0", 0) + 1
        put(f' <Record type="HKCategoryTypeIdentifierAppleStandHour" sourceName="W" startDate="{when(second)}" endDate="{when(second + 3600)}"'
            ' value="HKCategoryValueAppleStandHourStood"/>\n')
    beats = random.Random("beats")
    for index in range(few):
        second = index * 43200 + 7200
        times, now = [], second * 1000
        for _ in range(60):
            interval = beats.randint(700, 1100)
            now += interval
            times.append((now // 10 * 10, round(60000 / interval)))
        if index % 3 == 0:
            del times[20:24]
        text = f"{beats.randint(200, 900) / 10:.1f}"
        end = now // 1000 + 1
        put(f' <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN"{attributes(WATCH, pointers)} unit="ms"'
            f' creationDate="{when(end)}" startDate="{when(second)}" endDate="{when(end)}" value="{text}">\n'
            '  <HeartRateVariabilityMetadataList>\n')
        for number, (time, rate) in enumerate(times):
            moment = START + datetime.timedelta(milliseconds=time, hours=ZONE)
            mark = moment.microsecond // 10000
            if clean or index % 2:
                clock = moment.strftime("%H:%M:%S") + f".{mark:02d}"
            else:
                clock = f"{(moment.hour + 11) % 12 + 1}:{moment.minute:02d}:{moment.second:02d},{mark:02d}\u202f{'AM' if moment.hour < 12 else 'PM'}"
            put(f'   <InstantaneousBeatsPerMinute bpm="{rate}" time="{clock}"/>\n')
        put('  </HeartRateVariabilityMetadataList>\n </Record>\n')
        truth.add("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", text)
        truth.count("heartbeatSeries")
        truth.count("beats", len(times))
        truth.count("gaps", 1 if index % 3 == 0 else 0)
    pressures = random.Random("pressure")
    cuff = []
    for index in range(few):
        second = index * 21600 + 300
        cuff.append((second, str(pressures.randint(100, 150)), str(pressures.randint(60, 95))))
    def pressure(kind, second, text, indent):
        put(f'{indent}<Record type="HKQuantityTypeIdentifierBloodPressure{kind}" sourceName="Cuff" sourceVersion="2" unit="mmHg"'
            f' creationDate="{when(second)}" startDate="{when(second)}" endDate="{when(second)}" value="{text}"/>\n')
    for kind, place in (("Systolic", 1), ("Diastolic", 2)):
        for entry in cuff:
            pressure(kind, entry[0], entry[place], " ")
            truth.add(f"HKQuantityTypeIdentifierBloodPressure{kind}", entry[place])
        # One that is part of nothing.
        pressure(kind, 100, "111", " ")
        truth.add(f"HKQuantityTypeIdentifierBloodPressure{kind}", "111")
    for second, systolic, diastolic in cuff:
        put(f' <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" sourceVersion="2"'
            f' creationDate="{when(second)}" startDate="{when(second)}" endDate="{when(second)}">\n')
        put('  <MetadataEntry key="HKWasUserEntered" value="1"/>\n')
        pressure("Systolic", second, systolic, "  ")
        pressure("Diastolic", second, diastolic, "  ")
        put(" </Correlation>\n")
        truth.count("bloodPressure")
    control = "" if clean else "\x0b"
    workouts = few // 2 + (1 if newer else 0)
    for index in range(workouts):
        second = index * 86400 + 36000
        sport = ["Running", "Cycling", "Swimming", "SwimBikeRun"][index % 4]
        put(f' <Workout workoutActivityType="HKWorkoutActivityType{sport}" duration="60" durationUnit="min"{attributes(WATCH, pointers)}'
            f' creationDate="{when(second + 3600)}" startDate="{when(second)}" endDate="{when(second + 3600)}">\n'
            f'  <MetadataEntry key="HKIndoorWorkout" value="0"/>\n  <MetadataEntry key="Note" value="hard{control} hill"/>\n'
            f'  <WorkoutEvent type="HKWorkoutEventTypePause" date="{when(second + 600)}"/>\n'
            f'  <WorkoutEvent type="HKWorkoutEventTypeResume" date="{when(second + 660)}"/>\n'
            f'  <WorkoutEvent type="HKWorkoutEventTypeLap" date="{when(second + 700)}" duration="5" durationUnit="min"/>\n'
            f'  <WorkoutEvent type="HKWorkoutEventTypeFuture" date="{when(second + 700)}"/>\n'
            f'  <WorkoutActivity uuid="{index:08X}-0000-4000-8000-000000000000" startDate="{when(second)}" endDate="{when(second + 1800)}"'
            ' duration="30" durationUnit="min">\n'
            f'   <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="{when(second)}" endDate="{when(second + 1800)}"'
            ' average="150" minimum="100" maximum="180" unit="count/min"/>\n  </WorkoutActivity>\n'
            f'  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="{when(second)}" endDate="{when(second + 3600)}"'
            ' sum="512.5" unit="Cal"/>\n'
            f'  <WorkoutRoute sourceName="W" startDate="{when(second)}" endDate="{when(second + 3600)}">\n'
            f'   <FileReference path="/workout-routes/route_{index}.gpx"/>\n  </WorkoutRoute>\n </Workout>\n')
        truth.count("workout")
    for index in range(3):
        second = index * 86400 * 30
        put(f' <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Ear" startDate="{when(second)}" endDate="{when(second)}">\n'
            '  <SensitivityPoint frequencyValue="250" frequencyUnit="Hz" leftEarValue="34" leftEarUnit="dBHL" rightEarValue="27" rightEarUnit="dBHL"/>\n'
            f'  <SensitivityPoint frequencyValue="1" frequencyUnit="kHz" leftEarValue="{11 + index}" leftEarUnit="dBHL"/>\n </Audiogram>\n')
        truth.count("audiogram")
    for kind in ("Glasses", "Contacts"):
        put(f' <VisionPrescription type="HKVisionPrescriptionType{kind}" dateIssued="{when(0)}" expirationDate="{when(86400 * 365)}" brand="B">\n'
            '  <RightEye sphere="-1.25" sphereUnit="D" cylinder="-0.5" cylinderUnit="D" axis="90" axisUnit="deg"/>\n'
            '  <LeftEye sphere="-2" sphereUnit="D"/>\n </VisionPrescription>\n')
        truth.count("visionPrescription")
    put(f' <ActivitySummary dateComponents="2021-03-01" activeEnergyBurned="500" activeEnergyBurnedUnit="Cal"/>\n')
    put(' <ClinicalRecord type="AllergyIntolerance" identifier="1" sourceName="Clinic" sourceURL="https://example.org" fhirVersion="4.0.1"'
        f' receivedDate="{when(0)}" resourceFilePath="/clinical-records/AllergyIntolerance-1.json"/>\n')
    put("</HealthData>\n")


def route(index):
    """The file of a workout's route: a location each half minute, the last two outside."""
    points = []
    for place in range(ROUTE + 2):
        second = index * 86400 + 36000 + (30 * place if place < ROUTE else 4000 + place)
        moment = (START + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")
        points.append(f'<trkpt lon="-122.{place:04d}" lat="37.{index:04d}"><ele>12.5</ele><time>{moment}</time>'
                      '<extensions><speed>2.5</speed><course>270.0</course><hAcc>3.1</hAcc><vAcc>-1</vAcc></extensions></trkpt>')
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">\n'
            f'<trk><name>Route</name><trkseg>{"".join(points)}</trkseg></trk></gpx>\n')


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--records", type=int, default=3000)
    options.add_argument("--days", type=int)
    options.add_argument("--newer", action="store_true")
    options.add_argument("--clean", action="store_true")
    options.add_argument("--zip")
    options.add_argument("--truth")
    chosen = options.parse_args()
    truth = Truth()
    days = chosen.days or max(3, chosen.records // 1000)
    with open(chosen.file, "w", encoding="utf-8", buffering=1 << 20, newline="") as out:
        write(out, chosen.records, days, chosen.newer, chosen.clean, truth)
    if chosen.truth:
        with open(chosen.truth, "w", encoding="utf-8") as out:
            json.dump(truth.document(), out, indent=1)
    if chosen.zip:
        with zipfile.ZipFile(chosen.zip, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            def add(name, text):
                archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
            add("apple_health_export/export_cda.xml", '<?xml version="1.0"?>\n<ClinicalDocument xmlns="urn:hl7-org:v3"/>\n')
            for index in range(truth.counts["workout"]):
                add(f"apple_health_export/workout-routes/route_{index}.gpx", route(index))
            add("apple_health_export/electrocardiograms/ecg_1.csv", "Name,X\n")
            add("apple_health_export/clinical-records/AllergyIntolerance-1.json", json.dumps(
                {"resourceType": "AllergyIntolerance", "id": "1", "code": {"text": "Peanuts"}, "recordedDate": "2021-03-01"}))
            # As a phone in German calls it.
            archive.write(chosen.file, "apple_health_export/Exportieren.xml")


if __name__ == "__main__":
    sys.exit(main())
