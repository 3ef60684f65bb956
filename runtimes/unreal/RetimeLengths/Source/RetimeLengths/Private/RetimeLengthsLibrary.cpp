#include "RetimeLengthsLibrary.h"
#include "Modules/ModuleManager.h"
#include "retime_lengths_json.h"

IMPLEMENT_MODULE(FDefaultModuleImpl, RetimeLengths)

void URetimeLengths::Parse() {
    Table = retime::LengthsFile::parse(TCHAR_TO_UTF8(*Json));
    if (!Table.fault().empty())
        UE_LOG(LogTemp, Error, TEXT("%s: damaged table of lengths: %s"), *GetName(), UTF8_TO_TCHAR(Table.fault().c_str()));
}

void URetimeLengths::PostLoad() {
    Super::PostLoad();
    Parse();
}

#if WITH_EDITOR
void URetimeLengths::PostEditChangeProperty(FPropertyChangedEvent& Event) {
    Super::PostEditChangeProperty(Event);
    Parse();
}
#endif

FString URetimeLengthsLibrary::Fault(const URetimeLengths* Table) { return Table ? FString(UTF8_TO_TCHAR(Table->Table.fault().c_str())) : FString(TEXT("no table")); }
double URetimeLengthsLibrary::Step(const URetimeLengths* Table, double Position, double Delta, double Length) { return Table ? Table->Table.step(Position, Delta, Length) : 0; }
double URetimeLengthsLibrary::At(const URetimeLengths* Table, double Time, double Length) { return Table ? Table->Table.at(Time, Length) : 0; }
double URetimeLengthsLibrary::When(const URetimeLengths* Table, double Position, double Length) { return Table ? Table->Table.when(Position, Length) : 0; }
double URetimeLengthsLibrary::Rate(const URetimeLengths* Table, double Position, double Length) { return Table ? Table->Table.rate(Position, Length) : 0; }

double URetimeLengthsLibrary::Moment(const URetimeLengths* Table, const FString& Name) {
    if (Table)
        for (const retime::Moment& Moment : Table->Table.moments())
            if (Name == UTF8_TO_TCHAR(Moment.name.c_str())) return Moment.time;
    return -1;
}

double URetimeLengthsLibrary::LengthBetween(const URetimeLengths* Table, double Position, double Target, double Seconds) {
    if (!Table) return 0;
    const double Length = Table->Table.length_between(Position, Target, Seconds);
    return Length >= Table->Table.shortest() && Length <= Table->Table.longest() ? Length : 0;
}
