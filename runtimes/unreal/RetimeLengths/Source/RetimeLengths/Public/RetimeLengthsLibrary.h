// Blueprint functions for tables of lengths.
#pragma once
#include "CoreMinimal.h"
#include "Engine/DataAsset.h"
#include "Kismet/BlueprintFunctionLibrary.h"
#include "retime_lengths.h"
#include "RetimeLengthsLibrary.generated.h"

// A table: put the text of the .lengths.json file into Json.
UCLASS(BlueprintType)
class RETIMELENGTHS_API URetimeLengths : public UDataAsset {
    GENERATED_BODY()
public:
    UPROPERTY(EditAnywhere, Category = "retime", meta = (MultiLine = true)) FString Json;
    virtual void PostLoad() override;
#if WITH_EDITOR
    virtual void PostEditChangeProperty(FPropertyChangedEvent& Event) override;
#endif
    void Parse();
    retime::Lengths Table{std::string("it is empty")};
};

UCLASS()
class RETIMELENGTHS_API URetimeLengthsLibrary : public UBlueprintFunctionLibrary {
    GENERATED_BODY()
public:
    // Empty, or what is wrong with the table.
    UFUNCTION(BlueprintPure, Category = "retime") static FString Fault(const URetimeLengths* Table);
    // Position to set after Delta seconds; Length may change in any frame.
    UFUNCTION(BlueprintPure, Category = "retime") static double Step(const URetimeLengths* Table, double Position, double Delta, double Length);
    UFUNCTION(BlueprintPure, Category = "retime") static double At(const URetimeLengths* Table, double Time, double Length);
    UFUNCTION(BlueprintPure, Category = "retime") static double When(const URetimeLengths* Table, double Position, double Length);
    UFUNCTION(BlueprintPure, Category = "retime") static double Rate(const URetimeLengths* Table, double Position, double Length);
    // Position of a moment; below 0 if the table has none of this name.
    UFUNCTION(BlueprintPure, Category = "retime") static double Moment(const URetimeLengths* Table, const FString& Name);
    // Length with which Seconds pass until Target; 0 if the table cannot play it.
    UFUNCTION(BlueprintPure, Category = "retime") static double LengthBetween(const URetimeLengths* Table, double Position, double Target, double Seconds);
};
